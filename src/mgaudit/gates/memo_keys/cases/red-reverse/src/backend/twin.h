#pragma once

namespace mg::backend {

class Twin {
public:
    int id = 0;
};

struct TwinId {
    int id = 0;
};

}  // namespace mg::backend
