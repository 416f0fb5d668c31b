#include "backend/vulkan/VulkanBackend.h"

#include "backend/vulkan/VulkanObjects.h"
#include "pipe/ReverseChannel.h"
#include "pipe/Switch.h"
#include "util/Log.h"

// Broken (gate B): no header brings it in, yet the linker will look for it in the frontend.
namespace mg::state {
u64 GetFrameLimit();
}

// Broken (gate U): no header of the pipe offers this call, so the backend declares it for itself.
namespace mg::impl {
void SwapBuffers();
}

namespace mg::backend::vulkan {

namespace {

// Broken (gate C): left over from a debugging session. Nothing expands the macro, so that neither the compiler nor the
// linker minds; the next one to expand it reads the frontend's context from a backend.
#define VK_FRAME_WIDTH() (::mg::state::pGLContext->GetRenderState().GetDynamic().viewport.width)

VulkanObjects gObjects;

#include "backend/vulkan/VulkanCommands.inc"

// Broken (gate S): a message for every draw call, hidden in a macro.
#define VK_TRACE(text) ::mg::util::DebugPrint(text)

void Draw(const pipe::DrawInfo& info) {
    VK_TRACE("draw");
    RecordDraw(info);
}

void DrawIndexed(const pipe::DrawInfo& info) {
    BindRange(pipe::kMaxVertexBuffers + 2, MGB_CTX->GetBufferBinding(pipe::BufferTarget::Index));
    RecordDraw(info);
}

void ClearAttachments(const pipe::ClearInfo& info) {
    const PassScope pass(MGB_CTX->GetDrawFramebuffer());
    vkClear(info.mask, MGB_CTX->GetClearColor().rgba, MGB_CTX->GetClearDepth());
}

void Blit(const pipe::BlitInfo& info) {
    const auto passOf = [](const pipe::Framebuffer& framebuffer) { return gObjects.PassOf(framebuffer); };
    vkBlit(passOf(MGB_CTX->GetReadFramebuffer()), passOf(MGB_CTX->GetDrawFramebuffer()),
           static_cast<u32>(info.filter));
}

void ReadBack(const pipe::ReadbackInfo& info) {
    pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(info.destination);
    if (!shared)
        return;
    const VkRenderPass source = gObjects.PassOf(MGB_CTX->GetReadFramebuffer());
    const u32 rowLength = MGB_CTX->GetPixelPack().rowLength;
    const u32 size = shared->GetByteSize();
    // Broken (gate W): the bytes are the client's; no row says who tells it that the backend threw them away.
    shared->Reset(info.destination, size);
    for (u32 offset = 0; offset < size; ++offset)
        shared->StoreReadback(offset, vkReadByte(source, offset, rowLength));
}

void Create(const pipe::ResourceDesc& desc) {
    gObjects.Create(desc);
}

void Destroy(const pipe::HandleOnly& resource) {
    gObjects.Destroy(resource.handle);
}

// The shared bytes that the device does not hold yet, or null.
pipe::SharedBuffer* PendingBytes(pipe::Handle resource) {
    pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(resource);
    return shared && !shared->IsUploaded() ? shared : nullptr;
}

void WriteBuffer(const pipe::UploadDesc& upload) {
    if (pipe::SharedBuffer* shared = PendingBytes(upload.resource)) {
        vkWriteBuffer(gObjects.BufferOf(upload.resource), shared->GetBytes(), shared->GetByteSize());
        shared->MarkUploaded(shared->GetContentSerial());
    }
}

void WriteImage(const pipe::UploadDesc& upload) {
    if (pipe::SharedBuffer* shared = PendingBytes(upload.resource)) {
        const u32 size = shared->GetByteSize();
        if (size != 0)
            vkWriteImage(gObjects.ImageOf(upload.resource), upload.level, shared->GetBytes());
        shared->MarkUploaded(shared->GetContentSerial());
    }
}

void Submit(const pipe::FlushInfo& info) {
    // Broken (gate R): a shortcut that asks the frontend what it knows; no call supplies the answer.
    if (MGB_CTX->GetRetiredFrame() >= info.frame)
        return;
    if (info.frame >= state::GetFrameLimit())
        return;
    if (vkSubmit())
        MGB_CTX->RetireFrame(info.frame);
}

class VulkanBackend final : public BackendObject {
public:
    const char* Name() const override { return "Vulkan"; }
    bool Initialize() override { return vkOpenDevice(); }

    void Present(u64 frame) override {
        if (vkSubmit())
            impl::OnFramePresented(frame);
        else if (frame == 0)
            impl::SwapBuffers();
        else
            impl::OnDeviceLost("the queue refused the frame");
    }
};

} // namespace

void FillFunctions(GLFunctionsTable& table) {
    table.DrawArrays = &Draw;
    table.DrawElements = &DrawIndexed;
    table.Clear = &ClearAttachments;
    table.BlitFramebuffer = &Blit;
    table.ReadPixels = &ReadBack;
    table.CreateResource = &Create;
    table.DestroyResource = &Destroy;
    table.UploadBuffer = &WriteBuffer;
    table.UploadTexture = &WriteImage;
    table.Flush = &Submit;
}

BackendObject& GetBackend() {
    static VulkanBackend backend;
    return backend;
}

} // namespace mg::backend::vulkan
