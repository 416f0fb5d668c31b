#include "backend/gles/GlesObjects.h"

#include "backend/gles/Driver.h"

namespace mg::backend::gles {

void GlesObjects::Create(const pipe::ResourceDesc& desc) {
    Destroy(desc.handle);
    m_framebuffers.Clear(); // one of them may hold the object that goes
    const bool isTexture = desc.kind == pipe::ResourceKind::Texture;
    const u32 name =
        isTexture ? esCreateTexture(desc.width, desc.height, desc.levels) : esCreateBuffer(desc.width);
    m_resources[desc.handle] = {name, desc.width * desc.height, desc.kind};
}

void GlesObjects::Destroy(pipe::Handle handle) {
    const GlesResource* resource = m_resources.Find(handle);
    if (!resource)
        return;
    if (resource->kind == pipe::ResourceKind::Texture)
        esDeleteTexture(resource->name);
    else
        esDeleteBuffer(resource->name);
    m_resources.Erase(handle);
}

u32 GlesObjects::NameOf(pipe::Handle handle, pipe::ResourceKind kind) const {
    const GlesResource* resource = m_resources.Find(handle);
    return resource && resource->kind == kind ? resource->name : 0;
}

u32 GlesObjects::BufferOf(pipe::Handle handle) const {
    return NameOf(handle, pipe::ResourceKind::Buffer);
}

u32 GlesObjects::TextureOf(pipe::Handle handle) const {
    return NameOf(handle, pipe::ResourceKind::Texture);
}

u32 GlesObjects::FramebufferOf(const pipe::Framebuffer& framebuffer) {
    return m_framebuffers.GetOrBuild(framebuffer, [&] {
        const u32 name = esCreateFramebuffer();
        for (u32 i = 0; i < pipe::kMaxColorAttachments; ++i)
            esFramebufferTexture(name, i, TextureOf(framebuffer.colors[i]));
        esFramebufferTexture(name, pipe::kMaxColorAttachments, TextureOf(framebuffer.depth));
        return name;
    });
}

} // namespace mg::backend::gles
