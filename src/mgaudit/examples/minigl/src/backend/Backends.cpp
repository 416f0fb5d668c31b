#include "backend/BackendObject.h"
#include "backend/gles/GlesBackend.h"
#include "backend/vulkan/VulkanBackend.h"

namespace mg::backend {

BackendFunctionsTable gFunctionsTable;
BackendObject* pActiveBackend = nullptr;

bool SelectBackend(BackendKind kind) {
    BackendObject& candidate = kind == BackendKind::Gles ? gles::GetBackend() : vulkan::GetBackend();
    if (!candidate.Initialize())
        return false;
    if (kind == BackendKind::Gles)
        gFunctionsTable.GL = gles::kFunctions;
    else
        vulkan::FillFunctions(gFunctionsTable.GL);
    pActiveBackend = &candidate;
    return true;
}

} // namespace mg::backend
