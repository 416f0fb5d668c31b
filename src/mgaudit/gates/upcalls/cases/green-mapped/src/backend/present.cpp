#include "impl/notify.h"

namespace mg::impl {
int Hidden(int value); // no header says so
}

namespace mg::backend {

struct Hooks {
    void (*present)(int);
    void (*lost)(const char*);
};

#include "backend/hooks.inc"

template <class T>
void Forward(T& client, int what) {
    client.Tell(what);
}

void Present(impl::Client& client, const Hooks& hooks) {
    hooks.present(impl::gFrames);
    hooks.lost("no second upcall");
    MG_LOST("through a macro");
    const auto later = [&] { Forward(client, impl::Hidden(1)); };
    later();
    impl::OnResize(3);
}

} // namespace mg::backend
