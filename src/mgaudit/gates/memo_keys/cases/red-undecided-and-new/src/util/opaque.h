#pragma once

namespace mg::util {

unsigned long Opaque(const void* pointer);

}  // namespace mg::util
