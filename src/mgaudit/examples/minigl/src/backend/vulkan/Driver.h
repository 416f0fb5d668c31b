#pragma once

#include "util/Types.h"

// The part of the system's Vulkan that this backend uses. Objects are opaque to it.
using VkBuffer = struct VkBufferImage*;
using VkImage = struct VkImageImage*;
using VkPipeline = struct VkPipelineImage*;
using VkRenderPass = struct VkRenderPassImage*;

extern "C" {
bool vkOpenDevice();
VkBuffer vkNewBuffer(mg::u32 size);
VkImage vkNewImage(mg::u32 width, mg::u32 height, mg::u32 levels);
VkRenderPass vkNewRenderPass(const VkImage* colors, mg::u32 count, VkImage depth);
VkPipeline vkNewPipeline(mg::u32 program, VkRenderPass pass, mg::u32 blend, mg::u32 depth);
void vkFreeBuffer(VkBuffer buffer);
void vkFreeImage(VkImage image);
void vkWriteBuffer(VkBuffer buffer, const void* bytes, mg::u32 size);
void vkWriteImage(VkImage image, mg::u32 level, const void* texels);
void vkBeginPass(VkRenderPass pass);
void vkEndPass();
void vkSetViewport(const void* viewport, const void* scissor);
void vkSetConstants(const float* blendColor, float lineWidth);
void vkBindPipeline(VkPipeline pipeline);
void vkBindBuffer(mg::u32 index, VkBuffer buffer, mg::u64 offset, mg::u64 size);
void vkBindImage(mg::u32 unit, VkImage image, mg::u32 sampler);
void vkDraw(mg::u32 first, mg::u32 count, bool indexed);
void vkClear(mg::u32 mask, const float* rgba, float depth);
void vkBlit(VkRenderPass source, VkRenderPass target, mg::u32 filter);
mg::u8 vkReadByte(VkRenderPass pass, mg::u32 offset, mg::u32 rowLength);
bool vkSubmit();
}
