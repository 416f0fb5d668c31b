#pragma once

#include "pipe/Enums.h"
#include "pipe/Handle.h"

namespace mg::impl {

// Sends every part of the state that changed since it was sent last. Called before each verb.
void PublishInputs();

// Creates, or creates anew, the resource behind a handle on the other side of the pipe.
void PublishResource(pipe::Handle handle, pipe::ResourceKind kind, u32 width, u32 height);

// Puts bytes into the shared memory of a resource and says so.
void PublishBytes(pipe::Handle handle, u32 level, u32 offset, const void* bytes, u32 size);

// Forgets a resource on both sides.
void ReleaseResource(pipe::Handle handle);

} // namespace mg::impl
