#include "state/object.h"

namespace mg::state {

int ComputeStride(int size) { return (size + 3) & ~3; }

} // namespace mg::state
