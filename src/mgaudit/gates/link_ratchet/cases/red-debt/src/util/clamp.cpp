#include "util/clamp.h"

namespace mg::util {

int Clamp(int value) { return value < 0 ? 0 : value; }

} // namespace mg::util
