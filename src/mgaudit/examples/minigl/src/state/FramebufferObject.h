#pragma once

#include "state/TextureObject.h"

namespace mg::state {

class FramebufferObject {
public:
    explicit FramebufferObject(pipe::Handle handle) : m_handle(handle) {}

    pipe::Handle GetHandle() const { return m_handle; }
    u64 GetAttachmentSerial() const { return m_attachmentSerial; }
    const util::SharedPtr<ITextureObject>& GetColor(u32 index) const { return m_colors[index]; }
    const util::SharedPtr<ITextureObject>& GetDepth() const { return m_depth; }
    bool IsComplete() const { return m_colors[0] || m_depth; }

    void AttachColor(u32 index, const util::SharedPtr<ITextureObject>& texture) {
        m_colors[index] = texture;
        ++m_attachmentSerial;
    }

    void AttachDepth(const util::SharedPtr<ITextureObject>& texture) {
        m_depth = texture;
        ++m_attachmentSerial;
    }

private:
    pipe::Handle m_handle;
    util::SharedPtr<ITextureObject> m_colors[pipe::kMaxColorAttachments];
    util::SharedPtr<ITextureObject> m_depth;
    u64 m_attachmentSerial = 0;
};

} // namespace mg::state
