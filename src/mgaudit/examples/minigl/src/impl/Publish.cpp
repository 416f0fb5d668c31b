#include "impl/Publish.h"

#include "backend/BackendObject.h"
#include "pipe/Switch.h"
#include "state/GLContext.h"

namespace mg::impl {

namespace {

// The versions of what the other side holds.
struct Published {
    u64 render = ~0ull;
    u64 pixelPack = ~0ull;
    u64 buffers = ~0ull;
    u64 textures = ~0ull;
    u64 samplers = ~0ull;
    u64 framebuffers = ~0ull;
    u64 attachments = ~0ull;
    u64 program = ~0ull;
};

Published gPublished;

using FramebufferSlot = state::BindingSlot<state::FramebufferObject>;

// Whether a version moved; remembers the new one.
bool Moved(u64& published, u64 current) {
    return util::Exchange(published, current) != current;
}

pipe::BufferRange RangeOf(const state::BindingSlot<state::BufferObject>& slot, u32 offset) {
    const util::SharedPtr<state::BufferObject>& buffer = slot.Get();
    if (!buffer)
        return {};
    return {buffer->GetHandle(), offset, buffer->GetSize()};
}

pipe::Framebuffer FramebufferOf(const FramebufferSlot& slot) {
    const util::SharedPtr<state::FramebufferObject>& object = slot.Get();
    if (!object)
        return {};
    pipe::Framebuffer framebuffer;
    framebuffer.handle = object->GetHandle();
    for (u32 i = 0; i < pipe::kMaxColorAttachments; ++i) {
        if (object->GetColor(i))
            framebuffer.colors[i] = object->GetColor(i)->GetHandle();
    }
    if (object->GetDepth())
        framebuffer.depth = object->GetDepth()->GetHandle();
    return framebuffer;
}

u64 AttachmentSerial(const state::GLContext& context) {
    const FramebufferSlot* const slots[] = {&context.GetDrawSlot(), &context.GetReadSlot()};
    u64 serial = 0;
    for (const auto* slot : slots) {
        if (slot->Get())
            serial += slot->Get()->GetAttachmentSerial();
    }
    return serial;
}

void PublishRender(const state::RenderState& render) {
    if (!Moved(gPublished.render, render.GetVersion()))
        return;
    pipe::gChannel.Send<pipe::Opcode::CreateRenderState>(
        {render.GetPipelineVersion(), render.GetBlend(), render.GetDepth()});
    pipe::DynamicState dynamic = render.GetDynamic();
    if (!render.IsScissored())
        dynamic.scissor = dynamic.viewport;
    pipe::gChannel.Send<pipe::Opcode::SetDynamicState>(dynamic);
    pipe::gChannel.Send<pipe::Opcode::SetClearState>(render.GetClear());
}

void PublishBuffers(const state::GLContext& context) {
    if (!Moved(gPublished.buffers, context.GetBufferVersion()))
        return;
    pipe::VertexBuffers vertex;
    for (u32 slot = 0; slot < pipe::kMaxVertexBuffers; ++slot) {
        const state::VertexBinding& binding = context.GetVertexBinding(slot);
        vertex.ranges[slot] = RangeOf(binding.buffer, binding.offset);
    }
    const auto rangeOf = [&context](pipe::BufferTarget target) { return RangeOf(context.GetBufferSlot(target), 0); };
    pipe::gChannel.Send<pipe::Opcode::SetVertexBuffers>(vertex);
    pipe::gChannel.Send<pipe::Opcode::SetIndexBuffer>(rangeOf(pipe::BufferTarget::Index));
    pipe::gChannel.Send<pipe::Opcode::SetShaderBuffers>(
        {rangeOf(pipe::BufferTarget::Uniform), rangeOf(pipe::BufferTarget::ShaderStorage)});
}

void PublishTextures(const state::GLContext& context) {
    if (Moved(gPublished.textures, context.GetTextureVersion())) {
        pipe::SamplerViews views;
        for (u32 unit = 0; unit < pipe::kMaxTextureUnits; ++unit) {
            if (const auto& texture = context.GetTextureSlot(unit).Get())
                views.textures[unit] = texture->GetHandle();
        }
        pipe::gChannel.Send<pipe::Opcode::SetSamplerViews>(views);
    }
    if (Moved(gPublished.samplers, state::gSamplerNotes)) {
        pipe::SamplerStates samplers;
        for (u32 unit = 0; unit < pipe::kMaxTextureUnits; ++unit) {
            if (const auto& sampler = context.GetSamplerSlot(unit).Get())
                samplers.samplers[unit] = sampler->GetDesc();
        }
        pipe::gChannel.Send<pipe::Opcode::BindSamplerStates>(samplers);
    }
}

void PublishFramebuffers(const state::GLContext& context) {
    const bool rebound = Moved(gPublished.framebuffers, context.GetFramebufferVersion());
    const bool changed = Moved(gPublished.attachments, AttachmentSerial(context));
    if (rebound || changed)
        pipe::gChannel.Send<pipe::Opcode::SetFramebufferState>(
            {FramebufferOf(context.GetDrawSlot()), FramebufferOf(context.GetReadSlot())});
}

} // namespace

void PublishInputs() {
    const state::GLContext& context = *state::pGLContext;
    PublishRender(context.GetRenderState());
    PublishBuffers(context);
    PublishTextures(context);
    PublishFramebuffers(context);
    if (Moved(gPublished.program, context.GetProgramVersion()))
        pipe::gChannel.Send<pipe::Opcode::BindProgram>({context.GetProgram()});
    if (Moved(gPublished.pixelPack, context.GetPixelPackVersion()))
        pipe::gChannel.Send<pipe::Opcode::SetPixelPack>(context.GetPixelPack());
    pipe::gChannel.Drain();
}

void PublishResource(pipe::Handle handle, pipe::ResourceKind kind, u32 width, u32 height) {
    const pipe::ResourceDesc desc{handle, kind, width, height, 1};
    pipe::gChannel.Send<pipe::Opcode::ResourceCreate>(desc);
    pipe::gChannel.Drain();
    backend::gFunctionsTable.GL.CreateResource(desc);
}

void PublishBytes(pipe::Handle handle, u32 level, u32 offset, const void* bytes, u32 size) {
    if (pipe::SharedBuffer* shared = MGB_CTX->GetSharedBuffer(handle)) {
        shared->Write(offset, bytes, size);
        pipe::gChannel.Send<pipe::Opcode::ResourceUpload>({handle, {offset, size}, offset, level, 0});
    }
}

void ReleaseResource(pipe::Handle handle) {
    pipe::gChannel.Send<pipe::Opcode::ResourceDestroy>({handle});
    pipe::gChannel.Drain();
    backend::gFunctionsTable.GL.DestroyResource({handle});
}

} // namespace mg::impl
