#include "state/BufferObject.h"

namespace mg::state {

void BufferObject::SetData(u32 size, const void* data) {
    m_bytes.Resize(size);
    if (data)
        util::CopyBytes(m_bytes.begin(), data, size);
    ++m_contentSerial;
}

bool BufferObject::WriteRange(u32 offset, u32 size, const void* data) {
    if (offset > m_bytes.Size() || size > m_bytes.Size() - offset)
        return false;
    util::CopyBytes(m_bytes.begin() + offset, data, size);
    ++m_contentSerial;
    return true;
}

} // namespace mg::state
