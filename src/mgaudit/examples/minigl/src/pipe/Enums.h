#pragma once

#include "util/Types.h"

namespace mg::pipe {

enum class BufferTarget : u32 { Vertex, Index, Uniform, ShaderStorage, Count };
enum class TextureTarget : u32 { Texture2D, TextureBuffer };
enum class Primitive : u32 { Points, Lines, Triangles };
enum class IndexType : u32 { U16, U32 };
enum class Filter : u32 { Nearest, Linear };
enum class Wrap : u32 { Repeat, ClampToEdge };
enum class BlendFactor : u32 { Zero, One, SourceAlpha, OneMinusSourceAlpha };
enum class CompareFunc : u32 { Never, Less, LessEqual, Always };
enum class ResourceKind : u32 { Buffer, Texture };

inline constexpr u32 kMaxVertexBuffers = 4;
inline constexpr u32 kMaxTextureUnits = 4;
inline constexpr u32 kMaxColorAttachments = 2;

// Bits of a clear or a blit.
inline constexpr u32 kColorBit = 1;
inline constexpr u32 kDepthBit = 2;

} // namespace mg::pipe
