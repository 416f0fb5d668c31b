#pragma once

#include "util/Types.h"

namespace mg::pipe {

// Names an object on both sides of the pipe. A slot is reused, a (slot, gen) pair never is.
struct Handle {
    u32 slot = 0;
    u32 gen = 0;

    bool operator==(const Handle&) const = default;
    explicit operator bool() const { return gen != 0; }
};
static_assert(sizeof(Handle) == 8);

} // namespace mg::pipe
