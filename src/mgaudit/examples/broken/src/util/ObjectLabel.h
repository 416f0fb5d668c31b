#pragma once

// Broken (gate A): the include below crosses the boundary for everyone who includes this header.
#include "state/BufferObject.h"

namespace mg::util {

// A label for a debugger.
struct ObjectLabel {
    const char* text = "";

    void TakeFrom(const state::BufferObject& buffer) { text = buffer.GetLabel(); }
};

} // namespace mg::util
