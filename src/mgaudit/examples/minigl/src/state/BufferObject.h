#pragma once

#include "pipe/Handle.h"
#include "util/Vector.h"

namespace mg::state {

// A buffer object: the client's bytes and a serial that says when they changed.
class BufferObject {
public:
    explicit BufferObject(pipe::Handle handle) : m_handle(handle) {}

    pipe::Handle GetHandle() const { return m_handle; }
    u32 GetSize() const { return m_bytes.Size(); }
    const u8* GetBytes() const { return m_bytes.begin(); }
    u64 GetContentSerial() const { return m_contentSerial; }
    const char* GetLabel() const { return m_label; }

    // Replaces the storage; without data the bytes are undefined.
    void SetData(u32 size, const void* data);

    // Writes inside the storage: false, and nothing written, where the range leaves it.
    bool WriteRange(u32 offset, u32 size, const void* data);

    void SetLabel(const char* label) { m_label = label; }

private:
    pipe::Handle m_handle;
    util::Vector<u8> m_bytes;
    u64 m_contentSerial = 0;
    const char* m_label = "";
};

} // namespace mg::state
