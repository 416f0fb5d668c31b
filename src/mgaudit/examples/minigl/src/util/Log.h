#pragma once

#include "util/Types.h"

namespace mg::util {

// The last messages, for a debugger. The frontend may call it; a backend may not: drawing is a hot path.
struct LogRing {
    const char* lines[64] = {};
    u32 next = 0;
};

inline LogRing gLog;

inline void DebugPrint(const char* text) {
    gLog.lines[gLog.next++ % 64] = text;
}

} // namespace mg::util
