#pragma once

#include "backend/vulkan/Driver.h"
#include "pipe/Calls.h"
#include "util/Map.h"

namespace mg::backend::vulkan {

// What a pipeline object bakes in. Handles and values only: compared as a whole.
struct PipelineKey {
    pipe::Handle program;
    pipe::Framebuffer target;
    pipe::BlendState blend;
    pipe::DepthState depth;

    bool operator==(const PipelineKey&) const = default;
};

// One kind of driver object, by the handle of the resource that it stands for.
template <class Object>
class ObjectTable {
public:
    Object Find(pipe::Handle handle) const {
        const Object* object = m_objects.Find(handle);
        return object ? *object : nullptr;
    }

    // The table's previous object for the handle, or null.
    Object Replace(pipe::Handle handle, Object object) { return util::Exchange(m_objects[handle], object); }

    // The object that was forgotten, or null.
    Object Take(pipe::Handle handle) {
        const Object object = Find(handle);
        m_objects.Erase(handle);
        return object;
    }

private:
    util::Map<pipe::Handle, Object> m_objects;
};

class VulkanObjects {
public:
    void Create(const pipe::ResourceDesc& desc);
    void Destroy(pipe::Handle handle);

    VkBuffer BufferOf(pipe::Handle handle) const { return m_buffers.Find(handle); }
    VkImage ImageOf(pipe::Handle handle) const { return m_images.Find(handle); }
    VkRenderPass PassOf(const pipe::Framebuffer& framebuffer);
    VkPipeline PipelineOf(const PipelineKey& key);

private:
    ObjectTable<VkBuffer> m_buffers;
    ObjectTable<VkImage> m_images;
    util::Memo<pipe::Framebuffer, VkRenderPass> m_passes;
    util::Memo<PipelineKey, VkPipeline> m_pipelines;
};

} // namespace mg::backend::vulkan
