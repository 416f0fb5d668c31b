#pragma once

namespace mg::state {

enum class Target { Index, Vertex };

struct Context {
    int GetViewport() const;
    int GetSlot(Target target) const;
    int width = 0;
};

extern Context* pContext;

} // namespace mg::state
