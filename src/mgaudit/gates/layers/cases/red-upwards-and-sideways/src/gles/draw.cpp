#include "state/context.h"
#include "vulkan/pass.h"
