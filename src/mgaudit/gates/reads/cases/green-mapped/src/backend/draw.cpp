#include "state/context.h"

namespace mg::backend {

// Only a look-alike.
struct Mirror {
    int GetHeight() const { return 0; }
};

int Draw(state::Context& context, state::Target target) {
    int sum = context.GetWidth() + context.GetSize() + context.GetKind() + state::gFrame;
    sum += context.GetBuffer(state::Target::A).GetSize() + context.GetBuffer(target).GetSize();
    sum += context.GetParams().a + context.Scale(2) + static_cast<int>(context.Scale(2.0f));
    context.written = sum; // a write-back, not a read
    return sum + Mirror().GetHeight();
}

} // namespace mg::backend
