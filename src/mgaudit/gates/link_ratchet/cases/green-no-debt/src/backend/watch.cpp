// The objects were built with: g++ -std=c++20 -O0 -c -Isrc -fno-exceptions -fno-asynchronous-unwind-tables -fno-ident
#include "util/clamp.h"

namespace mg::backend {

int Watch(int id) {
    return util::Clamp(id);
}

} // namespace mg::backend
