// The objects were built with: g++ -std=c++20 -O0 -c -Isrc -fno-exceptions -fno-asynchronous-unwind-tables -fno-ident
#include "state/observer.h"

namespace mg::backend {

int Trace(const state::Observer& observer);

class Watcher : public state::Observer {
public:
    explicit Watcher(int id) : state::Observer(id) {}
};

int Watch(int id) {
    const state::Observer direct(id);
    const Watcher derived(id + 1);
    return direct.Id() + derived.Id() + Trace(direct);
}

} // namespace mg::backend
