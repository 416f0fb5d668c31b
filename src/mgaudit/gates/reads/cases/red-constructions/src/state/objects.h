#pragma once

namespace mg::state {

struct Params {
    int width = 0;
    int height = 0;
};

struct Buffer {
    explicit Buffer(int size);
};

struct Unused {
    int nothing;
};

} // namespace mg::state
