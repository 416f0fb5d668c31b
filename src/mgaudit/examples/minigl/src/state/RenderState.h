#pragma once

#include "pipe/Calls.h"

namespace mg::state {

#define MG_CAPABILITY_LIST(X) \
    X(Blend)                  \
    X(DepthTest)              \
    X(ScissorTest)

enum class Capability : u32 {
#define MG_CAPABILITY(Name) Name,
    MG_CAPABILITY_LIST(MG_CAPABILITY)
#undef MG_CAPABILITY
};

constexpr const char* NameOf(Capability capability) {
    switch (capability) {
#define MG_CAPABILITY_NAME(Name) \
    case Capability::Name:       \
        return #Name;
        MG_CAPABILITY_LIST(MG_CAPABILITY_NAME)
#undef MG_CAPABILITY_NAME
    }
    return "";
}

// Fixed-function state. Two counters tell when to send it again: m_version moves with everything, m_pipelineVersion
// only with what a backend bakes into a pipeline object.
class RenderState {
public:
    u64 GetVersion() const { return m_version; }
    u64 GetPipelineVersion() const { return m_pipelineVersion; }

    const pipe::BlendState& GetBlend() const { return m_blend; }
    const pipe::DepthState& GetDepth() const { return m_depth; }
    const pipe::DynamicState& GetDynamic() const { return m_dynamic; }
    const pipe::ClearState& GetClear() const { return m_clear; }
    bool IsScissored() const { return m_scissorTest; }

    void SetCapability(Capability capability, bool enabled);
    void SetBlendFunc(pipe::BlendFactor source, pipe::BlendFactor destination);
    void SetDepthFunc(pipe::CompareFunc func);
    void SetDepthMask(bool write);

    void SetViewport(const pipe::Rect& viewport);
    void SetScissor(const pipe::Rect& scissor);
    void SetBlendColor(const pipe::Color& color);
    void SetLineWidth(float width);
    void SetClearColor(const pipe::Color& color);
    void SetClearDepth(float depth);

private:
    pipe::BlendState m_blend;
    pipe::DepthState m_depth;
    pipe::DynamicState m_dynamic;
    pipe::ClearState m_clear;
    bool m_scissorTest = false;
    u64 m_version = 0;
    u64 m_pipelineVersion = 0;
};

} // namespace mg::state
