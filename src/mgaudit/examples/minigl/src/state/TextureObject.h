#pragma once

#include "pipe/Enums.h"
#include "pipe/Handle.h"
#include "state/BufferObject.h"
#include "util/SharedPtr.h"

namespace mg::state {

inline constexpr u32 kMaxLevels = 8;

struct TextureLevel {
    u32 width = 0;
    u32 height = 0;
    util::Vector<u8> texels;
};

// What all textures share. Texels are RGBA8.
class ITextureObject {
public:
    ITextureObject(pipe::Handle handle, pipe::TextureTarget target) : m_handle(handle), m_target(target) {}
    virtual ~ITextureObject() = default;
    ITextureObject(const ITextureObject&) = delete;
    ITextureObject& operator=(const ITextureObject&) = delete;

    pipe::Handle GetHandle() const { return m_handle; }
    pipe::TextureTarget GetTarget() const { return m_target; }
    u64 GetLevelSerial() const { return m_levelSerial; }

    virtual u32 GetLevelCount() const = 0;
    virtual u32 GetWidth(u32 level) const = 0;
    virtual u32 GetHeight(u32 level) const = 0;
    virtual const u8* GetTexels(u32 level) const = 0;
    virtual void SetLevel(u32 level, u32 width, u32 height, const void* texels) = 0;

protected:
    u64 m_levelSerial = 0;

private:
    pipe::Handle m_handle;
    pipe::TextureTarget m_target;
};

class TextureObject2D final : public ITextureObject {
public:
    explicit TextureObject2D(pipe::Handle handle) : ITextureObject(handle, pipe::TextureTarget::Texture2D) {}

    u32 GetLevelCount() const override;
    u32 GetWidth(u32 level) const override { return m_levels[level].width; }
    u32 GetHeight(u32 level) const override { return m_levels[level].height; }
    const u8* GetTexels(u32 level) const override { return m_levels[level].texels.begin(); }
    void SetLevel(u32 level, u32 width, u32 height, const void* texels) override;

private:
    TextureLevel m_levels[kMaxLevels];
};

// A texture whose one level is the storage of a buffer object.
class TextureObjectBuffer final : public ITextureObject {
public:
    TextureObjectBuffer(pipe::Handle handle, const util::SharedPtr<BufferObject>& buffer)
        : ITextureObject(handle, pipe::TextureTarget::TextureBuffer), m_buffer(buffer) {}

    u32 GetLevelCount() const override { return 1; }
    u32 GetWidth(u32) const override { return m_buffer->GetSize() / 4; }
    u32 GetHeight(u32) const override { return 1; }
    const u8* GetTexels(u32) const override { return m_buffer->GetBytes(); }
    void SetLevel(u32 level, u32 width, u32 height, const void* texels) override;

private:
    util::SharedPtr<BufferObject> m_buffer;
};

} // namespace mg::state
