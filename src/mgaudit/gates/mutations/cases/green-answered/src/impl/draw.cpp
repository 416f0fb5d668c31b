#include "backend/table.h"
#include "state/context.h"

namespace mg::impl {
namespace {

void Remember(int mask) { state::gContext.SetMask(mask); }

}  // namespace

void Clear(int mask) {
    Remember(mask);
    backend::gTable.Clear(mask);
}

void OnlyChange(int mask) { Remember(mask); }

void OnlyDraw(int count) {
    state::Context copy = state::gContext;
    copy.SetMask(count);
    backend::gTable.Draw(copy.Mask());
}

}  // namespace mg::impl
