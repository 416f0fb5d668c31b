#pragma once

#include "backend/BackendObject.h"

namespace mg::backend::vulkan {

void FillFunctions(GLFunctionsTable& table);

BackendObject& GetBackend();

} // namespace mg::backend::vulkan
