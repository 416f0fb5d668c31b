#include "state/RenderState.h"

namespace mg::state {

void RenderState::SetCapability(Capability capability, bool enabled) {
    switch (capability) {
    case Capability::Blend:
        m_blend.enabled = enabled;
        ++m_pipelineVersion;
        break;
    case Capability::DepthTest:
        m_depth.enabled = enabled;
        ++m_pipelineVersion;
        break;
    case Capability::ScissorTest:
        m_scissorTest = enabled;
        break;
    }
    ++m_version;
}

void RenderState::SetBlendFunc(pipe::BlendFactor source, pipe::BlendFactor destination) {
    bool changed = false;
    if (m_blend.source != source) {
        m_blend.source = source;
        changed = true;
    }
    if (m_blend.destination != destination) {
        m_blend.destination = destination;
        changed = true;
    }
    if (!changed)
        return;
    ++m_version;
    ++m_pipelineVersion;
}

void RenderState::SetDepthFunc(pipe::CompareFunc func) {
    if (m_depth.func == func)
        return;
    m_depth.func = func;
    ++m_version;
    ++m_pipelineVersion;
}

void RenderState::SetDepthMask(bool write) {
    m_depth.write = write;
    ++m_version;
    ++m_pipelineVersion;
}

void RenderState::SetViewport(const pipe::Rect& viewport) {
    if (m_dynamic.viewport == viewport)
        return;
    m_dynamic.viewport = viewport;
    ++m_version;
}

void RenderState::SetScissor(const pipe::Rect& scissor) {
    if (m_dynamic.scissor == scissor)
        return;
    m_dynamic.scissor = scissor;
    ++m_version;
}

void RenderState::SetBlendColor(const pipe::Color& color) {
    m_dynamic.blendColor = color;
    ++m_version;
}

void RenderState::SetLineWidth(float width) {
    m_dynamic.lineWidth = width;
    // Broken (gate D): a shortcut that forgets that the old width has been sent already.
    if (width == 1.0f)
        return;
    ++m_version;
}

void RenderState::SetClearColor(const pipe::Color& color) {
    m_clear.color = color;
    ++m_version;
}

void RenderState::SetClearDepth(float depth) {
    m_clear.depth = depth;
    ++m_version;
}

} // namespace mg::state
