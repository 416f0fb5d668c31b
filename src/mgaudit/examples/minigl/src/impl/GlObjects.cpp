#include "impl/Publish.h"
#include "impl/Validate.h"

// Buffers, textures, samplers and framebuffers.

namespace mg::impl {

namespace {

bool IsTarget(pipe::BufferTarget target) {
    return Require(target < pipe::BufferTarget::Count, Error::InvalidEnum);
}

bool IsUnit(u32 unit) {
    return Require(unit < pipe::kMaxTextureUnits, Error::InvalidValue);
}

util::SharedPtr<state::BufferObject> BoundBuffer(pipe::BufferTarget target) {
    return IsTarget(target) ? Context().GetBufferSlot(target).Get() : util::SharedPtr<state::BufferObject>();
}

util::SharedPtr<state::ITextureObject> BoundTexture() {
    return Context().GetTextureSlot(Context().GetActiveUnit()).Get();
}

void UploadBuffer(pipe::Handle handle, u32 offset, const void* data, u32 size) {
    PublishBytes(handle, 0, offset, data, size);
    backend::gFunctionsTable.GL.UploadBuffer({handle, {offset, size}, offset, 0, 0});
}

void UploadLevel(const state::ITextureObject& texture, u32 level) {
    const u32 width = texture.GetWidth(level);
    const u32 height = texture.GetHeight(level);
    if (level == 0)
        PublishResource(texture.GetHandle(), pipe::ResourceKind::Texture, width, height);
    PublishBytes(texture.GetHandle(), level, 0, texture.GetTexels(level), width * height * 4);
    backend::gFunctionsTable.GL.UploadTexture({texture.GetHandle(), {0, width * height * 4}, 0, level, 0});
}

// Calls the action with each level below the first and its size, down to one texel.
template <class Action>
void ForEachLevelBelow(u32 width, u32 height, Action action) {
    for (u32 level = 1; level < state::kMaxLevels && (width > 1 || height > 1); ++level) {
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
        action(level, width, height);
    }
}

} // namespace

u32 GenBuffer() {
    return Context().CreateBuffer();
}

void DeleteBuffer(u32 name) {
    const util::SharedPtr<state::BufferObject> buffer = Context().GetBuffer(name);
    if (!buffer)
        return;
    Context().DeleteBuffer(name);
    ReleaseResource(buffer->GetHandle());
}

void BindBuffer(pipe::BufferTarget target, u32 name) {
    if (IsTarget(target))
        Context().BindBuffer(target, name);
}

void BindVertexBuffer(u32 slot, u32 name, u32 offset) {
    if (Require(slot < pipe::kMaxVertexBuffers, Error::InvalidValue))
        Context().BindVertexBuffer(slot, name, offset);
}

void BufferData(pipe::BufferTarget target, u32 size, const void* data) {
    const util::SharedPtr<state::BufferObject> buffer = BoundBuffer(target);
    if (!Require(static_cast<bool>(buffer), Error::InvalidOperation))
        return;
    buffer->SetData(size, data);
    PublishResource(buffer->GetHandle(), pipe::ResourceKind::Buffer, size, 1);
    UploadBuffer(buffer->GetHandle(), 0, buffer->GetBytes(), size);
}

void BufferSubData(pipe::BufferTarget target, u32 offset, u32 size, const void* data) {
    const util::SharedPtr<state::BufferObject> buffer = BoundBuffer(target);
    if (!Require(static_cast<bool>(buffer), Error::InvalidOperation))
        return;
    if (Require(buffer->WriteRange(offset, size, data), Error::InvalidValue))
        UploadBuffer(buffer->GetHandle(), offset, data, size);
}

void ObjectLabel(u32 buffer, const char* label) {
    WithObject(Context().GetBuffer(buffer), [label](state::BufferObject& object) { object.SetLabel(label); });
}

u32 GenTexture(pipe::TextureTarget target, u32 buffer) {
    return Context().CreateTexture(target, buffer);
}

u32 GenSampler() {
    return Context().CreateSampler();
}

u32 GenFramebuffer() {
    return Context().CreateFramebuffer();
}

void DeleteTexture(u32 name) {
    const util::SharedPtr<state::ITextureObject> texture = Context().GetTexture(name);
    if (!texture)
        return;
    Context().DeleteTexture(name);
    ReleaseResource(texture->GetHandle());
}

void ActiveTexture(u32 unit) {
    if (IsUnit(unit))
        Context().SetActiveUnit(unit);
}

void BindTexture(u32 name) {
    Context().BindTexture(name);
}

void BindSampler(u32 unit, u32 name) {
    if (IsUnit(unit))
        Context().BindSampler(unit, name);
}

void TexImage2D(u32 level, u32 width, u32 height, const void* texels) {
    const util::SharedPtr<state::ITextureObject> texture = BoundTexture();
    if (!Require(static_cast<bool>(texture), Error::InvalidOperation) ||
        !Require(level < state::kMaxLevels, Error::InvalidValue))
        return;
    texture->SetLevel(level, width, height, texels);
    UploadLevel(*texture, level);
}

void GenerateMipmap() {
    const util::SharedPtr<state::ITextureObject> texture = BoundTexture();
    if (!Require(texture && texture->GetTarget() == pipe::TextureTarget::Texture2D, Error::InvalidOperation))
        return;
    ForEachLevelBelow(texture->GetWidth(0), texture->GetHeight(0), [&](u32 level, u32 width, u32 height) {
        texture->SetLevel(level, width, height, texture->GetTexels(level - 1));
        UploadLevel(*texture, level);
    });
}

void SamplerFilter(u32 name, pipe::Filter filter) {
    WithObject(Context().GetSampler(name), [filter](state::SamplerObject& sampler) { sampler.SetFilter(filter); });
}

void SamplerWrap(u32 name, pipe::Wrap wrap) {
    WithObject(Context().GetSampler(name), [wrap](state::SamplerObject& sampler) { sampler.SetWrap(wrap); });
}

void BindFramebuffers(u32 draw, u32 read) {
    Context().BindFramebuffers(draw, read);
}

void FramebufferTexture(u32 framebuffer, u32 attachment, u32 texture) {
    const util::SharedPtr<state::ITextureObject> image = Context().GetTexture(texture);
    WithObject(Context().GetFramebuffer(framebuffer), [&](state::FramebufferObject& object) {
        if (attachment < pipe::kMaxColorAttachments)
            object.AttachColor(attachment, image);
        else
            object.AttachDepth(image);
    });
}

} // namespace mg::impl
