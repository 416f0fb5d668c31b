#pragma once

#include "backend/BackendObject.h"

namespace mg::backend::gles {

extern const GLFunctionsTable kFunctions;

BackendObject& GetBackend();

} // namespace mg::backend::gles
