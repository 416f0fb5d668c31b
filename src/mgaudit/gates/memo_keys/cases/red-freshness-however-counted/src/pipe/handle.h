#pragma once

#include <compare>

namespace mg::pipe {

using GLName = unsigned;
using TextureName = GLName;

struct Handle {
    unsigned slot = 0;
    unsigned gen = 0;
    bool operator==(const Handle&) const = default;
    auto operator<=>(const Handle&) const = default;
};

}  // namespace mg::pipe
