#pragma once

#include "pipe/Calls.h"
#include "pipe/inputs/SharedBuffer.h"
#include "util/Map.h"
#include "util/SharedPtr.h"

namespace mg::pipe {

template <Opcode>
struct CallTag {};

// Everything a backend may read while it executes a verb. Each accessor is supplied by one call: see Coverage.def.
class PipeInputs {
public:
    u64 GetRenderStateVersion() const { return m_render.version; }
    BlendState GetBlendState() const { return m_render.blend; }
    DepthState GetDepthState() const { return m_render.depth; }

    Rect GetViewport() const { return m_dynamic.viewport; }
    Rect GetScissor() const { return m_dynamic.scissor; }
    Color GetBlendColor() const { return m_dynamic.blendColor; }
    float GetLineWidth() const { return m_dynamic.lineWidth; }

    Color GetClearColor() const { return m_clear.color; }
    float GetClearDepth() const { return m_clear.depth; }

    BufferRange GetVertexBuffer(u32 slot) const { return m_vertex.ranges[slot]; }
    BufferRange GetBufferBinding(BufferTarget target) const;
    Handle GetTexture(u32 unit) const { return m_views.textures[unit]; }
    SamplerDesc GetSampler(u32 unit) const { return m_samplers.samplers[unit]; }
    Handle GetProgram() const { return m_program; }

    Framebuffer GetDrawFramebuffer() const { return m_framebuffers.draw; }
    Framebuffer GetReadFramebuffer() const { return m_framebuffers.read; }
    PixelPack GetPixelPack() const { return m_pack; }

    // The shared bytes of a resource, or null for a handle that the client never filled.
    SharedBuffer* GetSharedBuffer(Handle handle) const;

    // One overload for each call that supplies a field; the others leave the inputs alone.
    template <Opcode Code, class Payload>
    void Apply(CallTag<Code>, const Payload&) {}
    void Apply(CallTag<Opcode::ResourceCreate>, const ResourceDesc& desc);
    void Apply(CallTag<Opcode::ResourceDestroy>, const HandleOnly& resource);
    void Apply(CallTag<Opcode::CreateRenderState>, const RenderStateDesc& render) { m_render = render; }
    void Apply(CallTag<Opcode::SetDynamicState>, const DynamicState& dynamic) { m_dynamic = dynamic; }
    void Apply(CallTag<Opcode::SetClearState>, const ClearState& clear) { m_clear = clear; }
    void Apply(CallTag<Opcode::SetVertexBuffers>, const VertexBuffers& vertex) { m_vertex = vertex; }
    void Apply(CallTag<Opcode::SetIndexBuffer>, const BufferRange& index) { m_index = index; }
    void Apply(CallTag<Opcode::SetShaderBuffers>, const ShaderBuffers& shader) { m_shader = shader; }
    void Apply(CallTag<Opcode::SetSamplerViews>, const SamplerViews& views) { m_views = views; }
    void Apply(CallTag<Opcode::BindSamplerStates>, const SamplerStates& samplers) { m_samplers = samplers; }
    void Apply(CallTag<Opcode::SetFramebufferState>, const FramebufferState& state) { m_framebuffers = state; }
    void Apply(CallTag<Opcode::BindProgram>, const HandleOnly& program) { m_program = program.handle; }
    void Apply(CallTag<Opcode::SetPixelPack>, const PixelPack& pack) { m_pack = pack; }

    // The backend, when it has executed everything up to this frame.
    void RetireFrame(u64 frame) { m_retiredFrame = frame; }
    u64 GetRetiredFrame() const { return m_retiredFrame; }

private:
    RenderStateDesc m_render;
    DynamicState m_dynamic;
    ClearState m_clear;
    VertexBuffers m_vertex;
    BufferRange m_index;
    ShaderBuffers m_shader;
    SamplerViews m_views;
    SamplerStates m_samplers;
    Handle m_program;
    FramebufferState m_framebuffers;
    PixelPack m_pack;
    util::Map<Handle, util::SharedPtr<SharedBuffer>> m_shared;
    u64 m_retiredFrame = 0;
};

} // namespace mg::pipe
