#pragma once

namespace mg::state {

enum class Target { A, B };

class Context {
public:
    int GetWidth() const { return 1; }
    int GetHeight() const { return 2; }
    int GetDepth() const { return 3; }
    int GetSlot(Target) const { return 4; }
    int GetLabel() const { return 5; }
    int GetName() const { return 6; }
};

} // namespace mg::state
