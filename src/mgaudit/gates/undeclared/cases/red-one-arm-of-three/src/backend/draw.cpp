#include "state/context.h"

#if defined(MG_SPLIT)
int Width() { return mg::state::pContext->width; }
#elif defined(MG_WHOLE)
int Whole() { return mg::state::pContext->width; }
#else
int Never() { return mg::state::pContext->width; }
#endif
