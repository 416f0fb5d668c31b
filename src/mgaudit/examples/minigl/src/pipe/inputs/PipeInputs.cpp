#include "pipe/inputs/PipeInputs.h"

namespace mg::pipe {

BufferRange PipeInputs::GetBufferBinding(BufferTarget target) const {
    switch (target) {
    case BufferTarget::Index:
        return m_index;
    case BufferTarget::Uniform:
        return m_shader.uniform;
    case BufferTarget::ShaderStorage:
        return m_shader.storage;
    case BufferTarget::Vertex:
    case BufferTarget::Count:
        break;
    }
    return {};
}

SharedBuffer* PipeInputs::GetSharedBuffer(Handle handle) const {
    const util::SharedPtr<SharedBuffer>* shared = m_shared.Find(handle);
    return shared ? shared->get() : nullptr;
}

void PipeInputs::Apply(CallTag<Opcode::ResourceCreate>, const ResourceDesc& desc) {
    util::SharedPtr<SharedBuffer>& shared = m_shared[desc.handle];
    if (!shared)
        shared = util::MakeShared<SharedBuffer>();
    const u32 texelSize = desc.kind == ResourceKind::Texture ? 4 : 1;
    shared->Reset(desc.handle, desc.width * desc.height * texelSize);
}

void PipeInputs::Apply(CallTag<Opcode::ResourceDestroy>, const HandleOnly& resource) {
    m_shared.Erase(resource.handle);
}

} // namespace mg::pipe
