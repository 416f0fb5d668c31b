#pragma once

#include "pipe/Calls.h"

namespace mg::backend {

// A backend's entry points: each slot is a verb. The active backend fills all of them.
struct GLFunctionsTable {
    void (*DrawArrays)(const pipe::DrawInfo& info);
    void (*DrawElements)(const pipe::DrawInfo& info);
    void (*Clear)(const pipe::ClearInfo& info);
    void (*BlitFramebuffer)(const pipe::BlitInfo& info);
    void (*ReadPixels)(const pipe::ReadbackInfo& info);
    void (*CreateResource)(const pipe::ResourceDesc& desc);
    void (*DestroyResource)(const pipe::HandleOnly& resource);
    void (*UploadBuffer)(const pipe::UploadDesc& upload);
    void (*UploadTexture)(const pipe::UploadDesc& upload);
    void (*Flush)(const pipe::FlushInfo& info);
};

struct BackendFunctionsTable {
    GLFunctionsTable GL;
};

// What a backend is, beside its verbs.
class BackendObject {
public:
    virtual ~BackendObject() = default;
    virtual const char* Name() const = 0;
    virtual bool Initialize() = 0;
    virtual void Present(u64 frame) = 0;
};

enum class BackendKind : u32 { Gles, Vulkan };

extern BackendFunctionsTable gFunctionsTable;
extern BackendObject* pActiveBackend;

// Fills the table and the active object: false, and nothing changed, where the device does not start.
bool SelectBackend(BackendKind kind);

} // namespace mg::backend
