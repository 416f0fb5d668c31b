#include "util/names.h"
#include MG_CONTEXT_HEADER

int Draw() { return mg::state::pContext->width; }
