#include "impl/Publish.h"
#include "impl/Validate.h"
#include "pipe/Switch.h"

// The verbs.

namespace mg::impl {

namespace {

bool CanDraw() {
    const auto& framebuffer = Context().GetDrawSlot().Get();
    return Require(framebuffer && framebuffer->IsComplete(), Error::InvalidOperation);
}

} // namespace

void DrawArrays(pipe::Primitive primitive, u32 first, u32 count) {
    if (count == 0 || !CanDraw())
        return;
    PublishInputs();
    backend::gFunctionsTable.GL.DrawArrays({primitive, first, count, pipe::IndexType::U16, 0});
}

void DrawElements(pipe::Primitive primitive, u32 count, pipe::IndexType type) {
    const bool indexed = static_cast<bool>(Context().GetBufferSlot(pipe::BufferTarget::Index).Get());
    if (!Require(indexed, Error::InvalidOperation) || !CanDraw())
        return;
    PublishInputs();
    backend::gFunctionsTable.GL.DrawElements({primitive, 0, count, type, 1});
}

void Clear(u32 mask) {
    if (!Require((mask & ~(pipe::kColorBit | pipe::kDepthBit)) == 0, Error::InvalidValue) || !CanDraw())
        return;
    PublishInputs();
    backend::gFunctionsTable.GL.Clear({mask});
    // Broken (gate M): the state changes beside the call, and no record replays that on the other side.
    Context().SetDepthMask(true);
}

void BlitFramebuffer(const pipe::Rect& source, const pipe::Rect& target, u32 mask, pipe::Filter filter) {
    if (!Require((mask & pipe::kDepthBit) == 0 || filter == pipe::Filter::Nearest, Error::InvalidOperation))
        return;
    PublishInputs();
    backend::gFunctionsTable.GL.BlitFramebuffer({source, target, filter, mask});
}

void ReadPixels(const pipe::Rect& area, u32 buffer) {
    const util::SharedPtr<state::BufferObject> destination = Context().GetBuffer(buffer);
    if (!Require(static_cast<bool>(destination), Error::InvalidOperation))
        return;
    PublishInputs();
    backend::gFunctionsTable.GL.ReadPixels({area, destination->GetHandle()});
    if (const pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(destination->GetHandle()))
        destination->WriteRange(0, shared->GetByteSize(), shared->GetBytes());
}

void SwapBuffers() {
    const u64 frame = Context().AdvanceFrame();
    PublishInputs();
    backend::gFunctionsTable.GL.Flush({frame});
    backend::pActiveBackend->Present(frame);
}

} // namespace mg::impl
