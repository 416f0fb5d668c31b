#include "util/size.h"
// #include "state/context.h"
#if 0
#include "state/context.h"
#endif
#if __has_include("state/context.h")
#define MG_KNOWS_THE_STATE 1
#endif

namespace mg::state {
struct Context;
}

const char* const kHint = R"(
#include "state/context.h"
)";

int Draw(mg::state::Context*) { return Size() + MG_KNOWS_THE_STATE; }
