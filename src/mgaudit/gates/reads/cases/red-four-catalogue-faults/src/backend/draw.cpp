#include "state/context.h"

namespace mg::backend {

int Draw(const state::Context& context) {
    return context.GetWidth() + context.GetHeight() +
           context.GetSlot(state::Target::A) +
           context.GetSlot(state::Target::B) +
           context.GetLabel() + context.GetName();
}

} // namespace mg::backend
