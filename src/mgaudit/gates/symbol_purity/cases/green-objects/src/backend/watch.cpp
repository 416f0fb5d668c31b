// The object was built with: g++ -std=c++20 -O0 -c -Isrc -fno-exceptions -fno-asynchronous-unwind-tables -fno-ident
#include "state/observer.h"

namespace mg::backend {

int Trace(const state::Observer& observer);

int Watch() {
    const state::Observer direct;
    return direct.Id() + Trace(direct);
}

} // namespace mg::backend
