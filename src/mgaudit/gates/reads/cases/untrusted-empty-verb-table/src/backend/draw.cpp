#include "pipe/table.h"
#include "state/context.h"

namespace mg::backend {

static int gSink = 0;

static void ReadSlot(state::Target target) {
    gSink = state::pContext->GetSlot(target);
}

static void Draw() {
    gSink = state::pContext->GetViewport() + state::pContext->GetSlot(state::Target::Index);
    const auto later = [] { return state::pContext->GetSlot(state::Target::Vertex); };
    gSink += later();
}

static void Clear() {
    gSink = state::pContext->width;
    gHook();
}

static void Trace() {
    gSink = state::pContext->width;
}

struct Backend final : Object {
    void Present() override { gSink = state::pContext->GetViewport(); }
};

Backend gBackend;


} // namespace mg::backend
