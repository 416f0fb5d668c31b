#pragma once
namespace glslang { struct TShader; struct TProgram; }
