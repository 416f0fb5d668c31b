#include "backend/pack.h"

namespace mg {

// region wire format
struct Wire { int a; int b; };
// endregion

int Swizzle(int x) { return x ^ (x >> 1); }
float Swizzle(float x) { return -x; }
#ifdef MG_FAST
int Mix(int x) { return x; }
#else
int Mix(int x) { return x + 1; }
#endif

} // namespace mg
