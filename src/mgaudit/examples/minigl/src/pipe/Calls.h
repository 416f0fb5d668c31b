#pragma once

#include "pipe/Enums.h"
#include "pipe/Handle.h"
#include "pipe/PipeCalls.def"

// The payloads of the calls. They travel as bytes: no pointers, no references, no hidden padding.

namespace mg::pipe {

enum CallClass : u32 { kScreen, kCtxCso, kCtxState, kCtxVerb };
enum CallFlags : u32 { kNone = 0, kNeedsAck = 1, kHasBlob = 2, kReplySlot = 4 };
enum WaitClass : u32 { kWaitNone, kWaitReply, kWaitApplied };

inline constexpr u32 kCallCount = 19;

struct Rect {
    i32 x = 0;
    i32 y = 0;
    u32 width = 0;
    u32 height = 0;

    bool operator==(const Rect&) const = default;
};
static_assert(sizeof(Rect) == 16);

struct Color {
    float rgba[4] = {};

    bool operator==(const Color&) const = default;
};
static_assert(sizeof(Color) == 16);

// Bytes that travel beside the call.
struct BlobRef {
    u64 offset = 0;
    u64 size = 0;
};
static_assert(sizeof(BlobRef) == 16);

struct HandleOnly {
    Handle handle;
};
static_assert(sizeof(HandleOnly) == 8);

struct ResourceDesc {
    Handle handle;
    ResourceKind kind = ResourceKind::Buffer;
    u32 width = 0;
    u32 height = 1;
    u32 levels = 1;
};
static_assert(sizeof(ResourceDesc) == 24);

struct UploadDesc {
    Handle resource;
    BlobRef blob;
    u64 offset = 0;
    u32 level = 0;
    u32 pad = 0;
};
static_assert(sizeof(UploadDesc) == 40);

struct BlendState {
    u32 enabled = 0;
    BlendFactor source = BlendFactor::One;
    BlendFactor destination = BlendFactor::Zero;

    bool operator==(const BlendState&) const = default;
};
static_assert(sizeof(BlendState) == 12);

struct DepthState {
    u32 enabled = 0;
    CompareFunc func = CompareFunc::Less;
    u32 write = 1;

    bool operator==(const DepthState&) const = default;
};
static_assert(sizeof(DepthState) == 12);

struct RenderStateDesc {
    u64 version = 0;
    BlendState blend;
    DepthState depth;
};
static_assert(sizeof(RenderStateDesc) == 32);

struct DynamicState {
    Rect viewport;
    Rect scissor;
    Color blendColor;
    float lineWidth = 1.0f;
};
static_assert(sizeof(DynamicState) == 52);

struct ClearState {
    Color color;
    float depth = 1.0f;
};
static_assert(sizeof(ClearState) == 20);

struct BufferRange {
    Handle buffer;
    u64 offset = 0;
    u64 size = 0;
};
static_assert(sizeof(BufferRange) == 24);

struct VertexBuffers {
    BufferRange ranges[kMaxVertexBuffers];
};
static_assert(sizeof(VertexBuffers) == 96);

struct ShaderBuffers {
    BufferRange uniform;
    BufferRange storage;
};
static_assert(sizeof(ShaderBuffers) == 48);

struct SamplerViews {
    Handle textures[kMaxTextureUnits];
};
static_assert(sizeof(SamplerViews) == 32);

struct SamplerDesc {
    Filter filter = Filter::Nearest;
    Wrap wrap = Wrap::Repeat;

    bool operator==(const SamplerDesc&) const = default;
};
static_assert(sizeof(SamplerDesc) == 8);

struct SamplerStates {
    SamplerDesc samplers[kMaxTextureUnits];
};
static_assert(sizeof(SamplerStates) == 32);

struct Framebuffer {
    Handle handle;
    Handle colors[kMaxColorAttachments];
    Handle depth;

    bool operator==(const Framebuffer&) const = default;
};
static_assert(sizeof(Framebuffer) == 32);

struct FramebufferState {
    Framebuffer draw;
    Framebuffer read;
};
static_assert(sizeof(FramebufferState) == 64);

struct PixelPack {
    u32 alignment = 4;
    u32 rowLength = 0;
};
static_assert(sizeof(PixelPack) == 8);

struct DrawInfo {
    Primitive primitive = Primitive::Triangles;
    u32 first = 0;
    u32 count = 0;
    IndexType indexType = IndexType::U16;
    u32 indexed = 0;
};
static_assert(sizeof(DrawInfo) == 20);

struct ClearInfo {
    u32 mask = 0;
};
static_assert(sizeof(ClearInfo) == 4);

struct BlitInfo {
    Rect source;
    Rect target;
    Filter filter = Filter::Nearest;
    u32 mask = 0;
};
static_assert(sizeof(BlitInfo) == 40);

struct ReadbackInfo {
    Rect area;
    Handle destination;
};
static_assert(sizeof(ReadbackInfo) == 24);

struct FlushInfo {
    u64 frame = 0;
};
static_assert(sizeof(FlushInfo) == 8);

enum class Opcode : u32 {
    Invalid = 0,
#define PIPE_OPCODE(Name, Payload, Class, Flags, Wait) Name,
    PIPE_CALL_LIST(PIPE_OPCODE)
#undef PIPE_OPCODE
        End
};
static_assert(static_cast<u32>(Opcode::End) == kCallCount + 1);

// What is known about a call at compile time.
template <Opcode>
struct CallTraits;

#define PIPE_CALL_TRAITS(Name, PayloadType, Class, Flags, Wait)   \
    template <>                                                   \
    struct CallTraits<Opcode::Name> {                             \
        using Payload = PayloadType;                              \
        static constexpr CallClass kClass = Class;                \
        static constexpr u32 kFlags = Flags;                      \
        static constexpr WaitClass kWait = Wait;                  \
    };
PIPE_CALL_LIST(PIPE_CALL_TRAITS)
#undef PIPE_CALL_TRAITS

#define PIPE_FIELD_EXISTS(Payload, field) static_assert(sizeof(Payload::field) > 0);
PIPE_PAYLOAD_FIELD_LIST(PIPE_FIELD_EXISTS)
#undef PIPE_FIELD_EXISTS

} // namespace mg::pipe
