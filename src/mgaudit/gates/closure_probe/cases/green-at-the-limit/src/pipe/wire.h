#pragma once
#include "pipe/shaders.h"

// glslang, glslang, glslang
struct Wire {
    glslang::TShader* shader;
    glslang::TProgram* program;
    const char* hint = "glslang";
};
