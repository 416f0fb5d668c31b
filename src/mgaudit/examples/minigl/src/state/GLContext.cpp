#include "state/GLContext.h"

namespace mg::state {

util::SharedPtr<GLContext> pGLContext = util::MakeShared<GLContext>();

pipe::Handle GLContext::MintHandle() {
    // Slots are never reused here, so that one generation is enough.
    return {m_nextSlot++, 1};
}

void GLContext::SetPixelPack(const pipe::PixelPack& pack) {
    m_pixelPack = pack;
    BumpPixelPack();
}

u32 GLContext::CreateBuffer() {
    const u32 name = m_nextName++;
    m_buffers[name] = util::MakeShared<BufferObject>(MintHandle());
    return name;
}

u32 GLContext::CreateTexture(pipe::TextureTarget target, u32 bufferName) {
    const u32 name = m_nextName++;
    if (target == pipe::TextureTarget::TextureBuffer)
        m_textures[name] = util::MakeShared<TextureObjectBuffer>(MintHandle(), GetBuffer(bufferName));
    else
        m_textures[name] = util::MakeShared<TextureObject2D>(MintHandle());
    return name;
}

u32 GLContext::CreateSampler() {
    const u32 name = m_nextName++;
    m_samplers[name] = util::MakeShared<SamplerObject>();
    return name;
}

u32 GLContext::CreateFramebuffer() {
    const u32 name = m_nextName++;
    m_framebuffers[name] = util::MakeShared<FramebufferObject>(MintHandle());
    return name;
}

void GLContext::DeleteBuffer(u32 name) {
    const util::SharedPtr<BufferObject> buffer = GetBuffer(name);
    if (!buffer)
        return;
    for (BindingSlot<BufferObject>& slot : m_bufferSlots) {
        if (slot.Holds(buffer.get()))
            slot.Unbind();
    }
    for (VertexBinding& binding : m_vertexBindings) {
        if (binding.buffer.Holds(buffer.get()))
            binding.buffer.Unbind();
    }
    m_buffers.Erase(name);
    ++m_bufferVersion;
}

void GLContext::DeleteTexture(u32 name) {
    const util::SharedPtr<ITextureObject> texture = GetTexture(name);
    if (!texture)
        return;
    for (BindingSlot<ITextureObject>& slot : m_textureSlots) {
        if (slot.Holds(texture.get()))
            slot.Unbind();
    }
    m_textures.Erase(name);
    ++m_textureVersion;
}

void GLContext::BindBuffer(pipe::BufferTarget target, u32 name) {
    m_bufferSlots[static_cast<u32>(target)].Bind(GetBuffer(name));
    ++m_bufferVersion;
}

void GLContext::BindVertexBuffer(u32 slot, u32 name, u32 offset) {
    m_vertexBindings[slot].buffer.Bind(GetBuffer(name));
    m_vertexBindings[slot].offset = offset;
    ++m_bufferVersion;
}

void GLContext::BindTexture(u32 name) {
    m_textureSlots[m_activeUnit].Bind(GetTexture(name));
    ++m_textureVersion;
}

void GLContext::BindSampler(u32 unit, u32 name) {
    m_samplerSlots[unit].Bind(GetSampler(name));
    MG_NOTE_SAMPLERS();
}

void GLContext::BindFramebuffers(u32 drawName, u32 readName) {
    m_drawSlot.Bind(GetFramebuffer(drawName));
    m_readSlot.Bind(GetFramebuffer(readName));
    ++m_framebufferVersion;
}

void GLContext::UseProgram(pipe::Handle program) {
    if (m_program == program)
        return;
    m_program = program;
    ++m_programVersion;
}

} // namespace mg::state
