#include "state/observer.h"

namespace mg::backend {

int Trace(const state::Observer& observer);

int Watch() {
    const state::Observer direct;
    return direct.Id() + Trace(direct);
}

} // namespace mg::backend
