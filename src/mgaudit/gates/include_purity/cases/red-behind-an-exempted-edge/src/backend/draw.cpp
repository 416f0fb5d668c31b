#include "state/context.h"
#include "util/bridge.h"

int Draw() { return mg::state::pContext->width; }
