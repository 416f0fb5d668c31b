#pragma once

#include "backend/BackendObject.h"
#include "state/RenderState.h"

// The entry points. Each one validates its arguments, changes the state and, where the backend has to act at once,
// publishes what changed and calls a verb.

namespace mg::impl {

enum class Error : u32 { None, InvalidEnum, InvalidValue, InvalidOperation };

bool MakeCurrent(backend::BackendKind kind);
Error GetError();

// Buffers.
u32 GenBuffer();
void DeleteBuffer(u32 name);
void BindBuffer(pipe::BufferTarget target, u32 name);
void BindVertexBuffer(u32 slot, u32 name, u32 offset);
void BufferData(pipe::BufferTarget target, u32 size, const void* data);
void BufferSubData(pipe::BufferTarget target, u32 offset, u32 size, const void* data);
void ObjectLabel(u32 buffer, const char* label);

// Textures, samplers, framebuffers.
u32 GenTexture(pipe::TextureTarget target, u32 buffer);
u32 GenSampler();
u32 GenFramebuffer();
void DeleteTexture(u32 name);
void ActiveTexture(u32 unit);
void BindTexture(u32 name);
void BindSampler(u32 unit, u32 name);
void TexImage2D(u32 level, u32 width, u32 height, const void* texels);
void GenerateMipmap();
void SamplerFilter(u32 name, pipe::Filter filter);
void SamplerWrap(u32 name, pipe::Wrap wrap);
void BindFramebuffers(u32 draw, u32 read);
void FramebufferTexture(u32 framebuffer, u32 attachment, u32 texture);

// Render state.
void Enable(state::Capability capability, bool enabled);
void BlendFunc(pipe::BlendFactor source, pipe::BlendFactor destination);
void BlendColor(const pipe::Color& color);
void DepthFunc(pipe::CompareFunc func);
void DepthMask(bool write);
void Viewport(const pipe::Rect& viewport);
void Scissor(const pipe::Rect& scissor);
void LineWidth(float width);
void ClearColor(const pipe::Color& color);
void ClearDepth(float depth);
void PixelStore(u32 alignment, u32 rowLength);
void UseProgram(pipe::Handle program);

// Verbs.
void DrawArrays(pipe::Primitive primitive, u32 first, u32 count);
void DrawElements(pipe::Primitive primitive, u32 count, pipe::IndexType type);
void Clear(u32 mask);
void BlitFramebuffer(const pipe::Rect& source, const pipe::Rect& target, u32 mask, pipe::Filter filter);
void ReadPixels(const pipe::Rect& area, u32 buffer);
void SwapBuffers();

} // namespace mg::impl
