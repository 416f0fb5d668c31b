#include "backend/gles/GlesBackend.h"

#include "backend/gles/Driver.h"
#include "backend/gles/GlesObjects.h"
#include "pipe/ReverseChannel.h"
#include "pipe/Switch.h"

namespace mg::backend::gles {

namespace {

constexpr u32 GLES_BLEND = 0x0BE2;
constexpr u32 GLES_DEPTH_TEST = 0x0B71;

GlesObjects gObjects;

template <class Visit>
void ForEachUnit(Visit visit) {
    for (u32 unit = 0; unit < pipe::kMaxTextureUnits; ++unit)
        visit(unit);
}

#include "backend/gles/GlesDraw.inc"

void DrawArrays(const pipe::DrawInfo& info) {
    PrepareDraw();
    esDrawArrays(static_cast<u32>(info.primitive), info.first, info.count);
}

void DrawElements(const pipe::DrawInfo& info) {
    PrepareDraw();
    const pipe::BufferRange indices = MGB_CTX->GetBufferBinding(pipe::BufferTarget::Index);
    BindRange(pipe::kMaxVertexBuffers + 2, indices);
    esDrawElements(static_cast<u32>(info.primitive), info.count, static_cast<u32>(info.indexType), indices.offset);
}

void Clear(const pipe::ClearInfo& info) {
    esBindFramebuffer(gObjects.FramebufferOf(MGB_CTX->GetDrawFramebuffer()));
    ApplyRect(&esScissor, MGB_CTX->GetScissor());
    esClear(info.mask, MGB_CTX->GetClearColor().rgba, MGB_CTX->GetClearDepth());
}

void BlitFramebuffer(const pipe::BlitInfo& info) {
    const u32 source = gObjects.FramebufferOf(MGB_CTX->GetReadFramebuffer());
    const u32 target = gObjects.FramebufferOf(MGB_CTX->GetDrawFramebuffer());
    esBlit(source, target, static_cast<u32>(info.filter), info.mask);
}

void ReadPixels(const pipe::ReadbackInfo& info) {
    pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(info.destination);
    if (!shared)
        return;
    const u32 framebuffer = gObjects.FramebufferOf(MGB_CTX->GetReadFramebuffer());
    const u32 alignment = MGB_CTX->GetPixelPack().alignment;
    const u32 size = shared->GetByteSize();
    for (u32 offset = 0; offset < size; ++offset)
        shared->StoreReadback(offset, esReadByte(framebuffer, offset, alignment));
}

void CreateResource(const pipe::ResourceDesc& desc) {
    gObjects.Create(desc);
}

void DestroyResource(const pipe::HandleOnly& resource) {
    gObjects.Destroy(resource.handle);
}

// Hands the shared bytes to the driver, once for each serial.
template <class Consume>
void Upload(pipe::Handle resource, Consume consume) {
    pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(resource);
    if (!shared || shared->IsUploaded())
        return;
    consume(shared->GetBytes(), shared->GetByteSize());
    shared->MarkUploaded(shared->GetContentSerial());
}

void UploadBuffer(const pipe::UploadDesc& upload) {
    Upload(upload.resource, [&](const u8* bytes, u32 size) {
        esBufferData(gObjects.BufferOf(upload.resource), bytes, size);
    });
}

void UploadTexture(const pipe::UploadDesc& upload) {
    Upload(upload.resource, [&](const u8* bytes, u32) {
        esTexImage(gObjects.TextureOf(upload.resource), upload.level, bytes);
    });
}

void Flush(const pipe::FlushInfo& info) {
    esFlush();
    MGB_CTX->RetireFrame(info.frame);
}

class GlesBackend final : public BackendObject {
public:
    const char* Name() const override { return "Gles"; }
    bool Initialize() override { return true; }

    void Present(u64 frame) override {
        if (esSwapBuffers())
            impl::OnFramePresented(frame);
        else
            impl::OnDeviceLost("the window's surface is gone");
    }
};

} // namespace

const GLFunctionsTable kFunctions = {
    .DrawArrays = DrawArrays,
    .DrawElements = DrawElements,
    .Clear = Clear,
    .BlitFramebuffer = BlitFramebuffer,
    .ReadPixels = ReadPixels,
    .CreateResource = CreateResource,
    .DestroyResource = DestroyResource,
    .UploadBuffer = UploadBuffer,
    .UploadTexture = UploadTexture,
    .Flush = Flush,
};

BackendObject& GetBackend() {
    static GlesBackend backend;
    return backend;
}

} // namespace mg::backend::gles
