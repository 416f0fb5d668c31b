#pragma once

#include "util/Types.h"

// The part of the system's OpenGL ES that this backend uses.
extern "C" {
mg::u32 esCreateBuffer(mg::u32 size);
mg::u32 esCreateTexture(mg::u32 width, mg::u32 height, mg::u32 levels);
mg::u32 esCreateFramebuffer();
void esDeleteBuffer(mg::u32 name);
void esDeleteTexture(mg::u32 name);
void esBufferData(mg::u32 name, const void* bytes, mg::u32 size);
void esTexImage(mg::u32 name, mg::u32 level, const void* texels);
void esFramebufferTexture(mg::u32 framebuffer, mg::u32 attachment, mg::u32 texture);
void esBindFramebuffer(mg::u32 framebuffer);
void esBindBufferRange(mg::u32 index, mg::u32 name, mg::u64 offset, mg::u64 size);
void esBindTexture(mg::u32 unit, mg::u32 name, bool linear, bool clamp);
void esUseProgram(mg::u32 slot);
void esEnable(mg::u32 capability, bool enabled);
void esBlendFunc(mg::u32 source, mg::u32 destination);
void esBlendColor(const float* rgba);
void esDepthFunc(mg::u32 func, bool write);
void esLineWidth(float width);
void esViewport(mg::i32 x, mg::i32 y, mg::u32 width, mg::u32 height);
void esScissor(mg::i32 x, mg::i32 y, mg::u32 width, mg::u32 height);
void esClear(mg::u32 mask, const float* rgba, float depth);
void esDrawArrays(mg::u32 primitive, mg::u32 first, mg::u32 count);
void esDrawElements(mg::u32 primitive, mg::u32 count, mg::u32 indexType, mg::u64 offset);
void esBlit(mg::u32 source, mg::u32 target, mg::u32 filter, mg::u32 mask);
mg::u8 esReadByte(mg::u32 framebuffer, mg::u32 offset, mg::u32 alignment);
void esFlush();
bool esSwapBuffers();
}
