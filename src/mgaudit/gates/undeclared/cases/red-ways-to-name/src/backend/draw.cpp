#include "state/context.h"

#define MGB_EVALUATE(x) ((x) ? (x)->width : 0)

namespace mg::state {
extern Context* pContext;
}

namespace mg::backend {

using state::pContext;

int Width() { return MGB_EVALUATE(pContext); }

int Late() {
    auto late = [c = pContext] { return c->width; };
    return late();
}

int Scaled(int width = pContext->width);

template <class T>
T Convert() {
    return static_cast<T>(pContext->width);
}

long Both() { return Convert<int>() + Convert<long>(); }

}  // namespace mg::backend
