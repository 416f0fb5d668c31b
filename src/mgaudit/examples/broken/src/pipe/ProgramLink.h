#pragma once

#include "pipe/Handle.h"

// The one place of the pipe that knows the shader compiler, and only by name: glsl:: stays on the client, a backend
// gets the linked words. The gate PROBE-LINK counts the tokens, so that nobody includes glsl's headers here.
namespace glsl {
class Program;
class Shader;
}

namespace mg::pipe {

struct LinkedProgram {
    Handle handle;
    u32 wordCount = 0;
    u32 reserved = 0;
    u32 flags = 0; // Broken (gate FROZEN): the other side does not know this member.
};

LinkedProgram LinkProgram(Handle handle, const glsl::Program* program);

// Broken (gate PROBE-LINK): one more use of the compiler's vocabulary than the header may hold.
LinkedProgram LinkShaders(Handle handle, const glsl::Shader* vertex, const glsl::Shader* fragment);

} // namespace mg::pipe
