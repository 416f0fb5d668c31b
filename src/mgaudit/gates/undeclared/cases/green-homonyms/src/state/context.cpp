#include "state/context.h"
int Use() { return mg::state::pContext->width; }
