#pragma once

#include "pipe/Handle.h"
#include "util/Vector.h"

namespace mg::pipe {

// The client's bytes of a resource. They lie in memory that both sides map: a backend uploads from here.
class SharedBuffer {
public:
    Handle GetHandle() const { return m_handle; }
    u32 GetByteSize() const { return m_bytes.Size(); }
    u64 GetContentSerial() const { return m_contentSerial; }
    const u8* GetBytes() const { return m_bytes.begin(); }
    bool IsUploaded() const { return m_uploadedSerial == m_contentSerial; }

    // The client, before a resource's first upload and whenever its size changes.
    void Reset(Handle handle, u32 size) {
        m_handle = handle;
        m_bytes.Resize(size);
        ++m_contentSerial;
    }

    void Write(u64 offset, const void* bytes, u64 size) {
        util::CopyBytes(m_bytes.begin() + offset, bytes, size);
        ++m_contentSerial;
    }

    // The backend, when the device holds the bytes of this serial.
    void MarkUploaded(u64 serial) { m_uploadedSerial = serial; }

    // The backend, when the device wrote and the bytes travel back.
    void StoreReadback(u32 offset, u8 value) {
        m_bytes[offset] = value;
        ++m_contentSerial;
        m_uploadedSerial = m_contentSerial;
    }

private:
    Handle m_handle;
    util::Vector<u8> m_bytes;
    u64 m_contentSerial = 0;
    u64 m_uploadedSerial = 0;
};

} // namespace mg::pipe
