#include "backend/vulkan/VulkanObjects.h"

namespace mg::backend::vulkan {

namespace {

u32 Pack(const pipe::BlendState& blend) {
    return blend.enabled | static_cast<u32>(blend.source) << 1 | static_cast<u32>(blend.destination) << 4;
}

u32 Pack(const pipe::DepthState& depth) {
    return depth.enabled | depth.write << 1 | static_cast<u32>(depth.func) << 2;
}

} // namespace

void VulkanObjects::Create(const pipe::ResourceDesc& desc) {
    if (desc.kind == pipe::ResourceKind::Texture) {
        const VkImage image = vkNewImage(desc.width, desc.height, desc.levels);
        m_passes.Clear(); // one of them may hold the image that goes
        m_pipelines.Clear();
        if (const VkImage old = m_images.Replace(desc.handle, image))
            vkFreeImage(old);
    } else {
        const VkBuffer buffer = vkNewBuffer(desc.width);
        if (const VkBuffer old = m_buffers.Replace(desc.handle, buffer))
            vkFreeBuffer(old);
    }
}

void VulkanObjects::Destroy(pipe::Handle handle) {
    if (const VkImage image = m_images.Take(handle))
        vkFreeImage(image);
    if (const VkBuffer buffer = m_buffers.Take(handle))
        vkFreeBuffer(buffer);
}

VkRenderPass VulkanObjects::PassOf(const pipe::Framebuffer& framebuffer) {
    return m_passes.GetOrBuild(framebuffer, [&] {
        VkImage colors[pipe::kMaxColorAttachments];
        for (u32 i = 0; i < pipe::kMaxColorAttachments; ++i)
            colors[i] = ImageOf(framebuffer.colors[i]);
        return vkNewRenderPass(colors, pipe::kMaxColorAttachments, ImageOf(framebuffer.depth));
    });
}

VkPipeline VulkanObjects::PipelineOf(const PipelineKey& key) {
    return m_pipelines.GetOrBuild(
        key, [&] { return vkNewPipeline(key.program.slot, PassOf(key.target), Pack(key.blend), Pack(key.depth)); });
}

} // namespace mg::backend::vulkan
