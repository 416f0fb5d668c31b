#include "state/context.h"
namespace mg::backend { int pContext; }
