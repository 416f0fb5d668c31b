#pragma once

#include "state/BindingSlot.h"
#include "state/BufferObject.h"
#include "state/FramebufferObject.h"
#include "state/RenderState.h"
#include "state/SamplerObject.h"
#include "state/TextureObject.h"
#include "util/Map.h"

namespace mg::state {

struct VertexBinding {
    BindingSlot<BufferObject> buffer;
    u32 offset = 0;
};

// Everything that GL calls "the current context". Objects are found by their GL names here and nowhere else.
class GLContext {
public:
    // Render state.
    const RenderState& GetRenderState() const { return m_render; }
    void SetCapability(Capability capability, bool enabled) { m_render.SetCapability(capability, enabled); }
    void SetBlendFunc(pipe::BlendFactor source, pipe::BlendFactor destination) {
        m_render.SetBlendFunc(source, destination);
    }
    void SetDepthFunc(pipe::CompareFunc func) { m_render.SetDepthFunc(func); }
    void SetDepthMask(bool write) { m_render.SetDepthMask(write); }
    void SetViewport(const pipe::Rect& viewport) { m_render.SetViewport(viewport); }
    void SetScissor(const pipe::Rect& scissor) { m_render.SetScissor(scissor); }
    void SetBlendColor(const pipe::Color& color) { m_render.SetBlendColor(color); }
    void SetLineWidth(float width) { m_render.SetLineWidth(width); }
    void SetClearColor(const pipe::Color& color) { m_render.SetClearColor(color); }
    void SetClearDepth(float depth) { m_render.SetClearDepth(depth); }

    const pipe::PixelPack& GetPixelPack() const { return m_pixelPack; }
    void SetPixelPack(const pipe::PixelPack& pack);
    u64 GetPixelPackVersion() const { return m_pixelPackVersion; }

    // Objects. A name is 0 for "no object"; lookups of unknown names give null.
    u32 CreateBuffer();
    u32 CreateTexture(pipe::TextureTarget target, u32 bufferName);
    u32 CreateSampler();
    u32 CreateFramebuffer();
    void DeleteBuffer(u32 name);
    void DeleteTexture(u32 name);
    util::SharedPtr<BufferObject> GetBuffer(u32 name) const { return Lookup(m_buffers, name); }
    util::SharedPtr<ITextureObject> GetTexture(u32 name) const { return Lookup(m_textures, name); }
    util::SharedPtr<SamplerObject> GetSampler(u32 name) const { return Lookup(m_samplers, name); }
    util::SharedPtr<FramebufferObject> GetFramebuffer(u32 name) const { return Lookup(m_framebuffers, name); }

    // Bindings.
    void BindBuffer(pipe::BufferTarget target, u32 name);
    void BindVertexBuffer(u32 slot, u32 name, u32 offset);
    void BindTexture(u32 name);
    void BindSampler(u32 unit, u32 name);
    void BindFramebuffers(u32 drawName, u32 readName);
    void UseProgram(pipe::Handle program);
    void SetActiveUnit(u32 unit) { m_activeUnit = unit; }

    const BindingSlot<BufferObject>& GetBufferSlot(pipe::BufferTarget target) const {
        return m_bufferSlots[static_cast<u32>(target)];
    }
    const VertexBinding& GetVertexBinding(u32 slot) const { return m_vertexBindings[slot]; }
    const BindingSlot<ITextureObject>& GetTextureSlot(u32 unit) const { return m_textureSlots[unit]; }
    const BindingSlot<SamplerObject>& GetSamplerSlot(u32 unit) const { return m_samplerSlots[unit]; }
    const BindingSlot<FramebufferObject>& GetDrawSlot() const { return m_drawSlot; }
    const BindingSlot<FramebufferObject>& GetReadSlot() const { return m_readSlot; }
    pipe::Handle GetProgram() const { return m_program; }
    u32 GetActiveUnit() const { return m_activeUnit; }

    u64 GetBufferVersion() const { return m_bufferVersion; }
    u64 GetTextureVersion() const { return m_textureVersion; }
    u64 GetFramebufferVersion() const { return m_framebufferVersion; }
    u64 GetProgramVersion() const { return m_programVersion; }

    u64 AdvanceFrame() { return ++m_frame; }

private:
    template <class T>
    static util::SharedPtr<T> Lookup(const util::Map<u32, util::SharedPtr<T>>& objects, u32 name) {
        const util::SharedPtr<T>* object = objects.Find(name);
        return object ? *object : util::SharedPtr<T>();
    }

    pipe::Handle MintHandle();
    void BumpPixelPack() { ++m_pixelPackVersion; }

    RenderState m_render;
    pipe::PixelPack m_pixelPack;

    util::Map<u32, util::SharedPtr<BufferObject>> m_buffers;
    util::Map<u32, util::SharedPtr<ITextureObject>> m_textures;
    util::Map<u32, util::SharedPtr<SamplerObject>> m_samplers;
    util::Map<u32, util::SharedPtr<FramebufferObject>> m_framebuffers;
    u32 m_nextName = 1;
    u32 m_nextSlot = 0;

    BindingSlot<BufferObject> m_bufferSlots[static_cast<u32>(pipe::BufferTarget::Count)];
    VertexBinding m_vertexBindings[pipe::kMaxVertexBuffers];
    BindingSlot<ITextureObject> m_textureSlots[pipe::kMaxTextureUnits];
    BindingSlot<SamplerObject> m_samplerSlots[pipe::kMaxTextureUnits];
    BindingSlot<FramebufferObject> m_drawSlot;
    BindingSlot<FramebufferObject> m_readSlot;
    pipe::Handle m_program;
    u32 m_activeUnit = 0;

    u64 m_pixelPackVersion = 0;
    u64 m_bufferVersion = 0;
    u64 m_textureVersion = 0;
    u64 m_framebufferVersion = 0;
    u64 m_programVersion = 0;
    u64 m_frame = 0;
};

// The context that is current on this thread. Frontend only: a backend that names it fails gate C.
extern util::SharedPtr<GLContext> pGLContext;

} // namespace mg::state
