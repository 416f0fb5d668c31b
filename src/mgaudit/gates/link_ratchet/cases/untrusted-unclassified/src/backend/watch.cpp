// The objects were built with: g++ -std=c++20 -O0 -c -Isrc -fno-exceptions -fno-asynchronous-unwind-tables -fno-ident
#include "state/observer.h"
#include "util/clamp.h"

namespace mg::backend {

int Watch(int id) {
    return state::Attach(util::Clamp(id));
}

} // namespace mg::backend
