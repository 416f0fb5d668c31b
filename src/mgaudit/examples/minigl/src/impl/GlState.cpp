#include "impl/Validate.h"
#include "pipe/ReverseChannel.h"
#include "util/Log.h"

// Render state, errors, and what the backend tells the frontend. Nothing here calls a verb: the next one publishes it.

namespace mg::impl {

namespace {

Error gError = Error::None;
u64 gPresentedFrames = 0;

} // namespace

void RecordError(Error error) {
    util::DebugPrint("a call was refused");
    if (gError == Error::None)
        gError = error;
}

Error GetError() {
    return util::Exchange(gError, Error::None);
}

bool MakeCurrent(backend::BackendKind kind) {
    return backend::SelectBackend(kind);
}

void OnFramePresented(u64 frame) {
    gPresentedFrames = frame;
}

void OnDeviceLost(const char* reason) {
    util::DebugPrint(reason);
    RecordError(Error::InvalidOperation);
}

void Enable(state::Capability capability, bool enabled) {
    if (Require(NameOf(capability)[0] != '\0', Error::InvalidEnum))
        Context().SetCapability(capability, enabled);
}

void BlendFunc(pipe::BlendFactor source, pipe::BlendFactor destination) {
    Context().SetBlendFunc(source, destination);
}

void BlendColor(const pipe::Color& color) {
    Context().SetBlendColor(color);
}

void DepthFunc(pipe::CompareFunc func) {
    Context().SetDepthFunc(func);
}

void DepthMask(bool write) {
    Context().SetDepthMask(write);
}

void Viewport(const pipe::Rect& viewport) {
    Context().SetViewport(viewport);
}

void Scissor(const pipe::Rect& scissor) {
    Context().SetScissor(scissor);
}

void LineWidth(float width) {
    if (Require(width > 0.0f, Error::InvalidValue))
        Context().SetLineWidth(width);
}

void ClearColor(const pipe::Color& color) {
    Context().SetClearColor(color);
}

void ClearDepth(float depth) {
    Context().SetClearDepth(depth);
}

void PixelStore(u32 alignment, u32 rowLength) {
    if (Require(alignment == 1 || alignment == 2 || alignment == 4 || alignment == 8, Error::InvalidValue))
        Context().SetPixelPack({alignment, rowLength});
}

void UseProgram(pipe::Handle program) {
    Context().UseProgram(program);
}

} // namespace mg::impl
