#pragma once

// Broken (gates A and L): a helper for labels looks harmless and brings the frontend's state into the backend.
#include "pipe/Calls.h"
#include "util/ObjectLabel.h"
#include "util/Map.h"

namespace mg::backend::gles {

// A driver object that stands for a resource of the frontend.
struct GlesResource {
    u32 name = 0;
    u32 size = 0;
    pipe::ResourceKind kind = pipe::ResourceKind::Buffer;
    util::ObjectLabel label = {};
};

// The driver's objects. Every table is keyed by handle: a name or a pointer of the frontend could be used again for
// another object, and a stale frame would be the only sign.
class GlesObjects {
public:
    void Create(const pipe::ResourceDesc& desc);
    void Destroy(pipe::Handle handle);

    u32 BufferOf(pipe::Handle handle) const;
    u32 TextureOf(pipe::Handle handle) const;
    u32 FramebufferOf(const pipe::Framebuffer& framebuffer);

    // Whether the buffer is the one of the last draw call.
    bool IsLast(const state::BufferObject& buffer) {
        const bool same = m_last == &buffer;
        m_last = &buffer;
        return same;
    }

private:
    u32 NameOf(pipe::Handle handle, pipe::ResourceKind kind) const;

    util::Map<pipe::Handle, GlesResource> m_resources;
    util::Memo<pipe::Framebuffer, u32> m_framebuffers;
    // Broken (gate K): once the buffer is deleted, another one may lie at the same address.
    const state::BufferObject* m_last = nullptr;
};

} // namespace mg::backend::gles
