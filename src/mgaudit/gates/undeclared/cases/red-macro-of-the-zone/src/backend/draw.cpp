#include "state/context.h"

#define MGB_CONTEXT (mg::state::pContext)
#define MGB_WIDTH (MGB_CONTEXT->width)
#define MGB_NOBODY_TAKES_THIS mg::state::pContext

int Width() { return MGB_WIDTH; }
bool Has() { return MGB_CONTEXT != nullptr; }
