#include "util/trace.h"

#define MG_DUMP(text) puts(text)

namespace mg::backend {

void Plain() { printf("x"); }
void Imported() { std::printf("x"); }
void Body() { MG_TRACE("x"); }
void Argument() {
    MG_RUN(
        printf("x"));
}
auto* Address() { return &std::puts; }
template <class T> void Each(T value) { printf("x", value); }
void Instances() { Each(1); Each(2.0); }
#ifdef MG_VERBOSE
void Idle() { puts("x"); }
#endif

} // namespace mg::backend
