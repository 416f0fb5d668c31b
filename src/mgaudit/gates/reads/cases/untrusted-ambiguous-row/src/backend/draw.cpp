#include "state/context.h"

int Draw(mg::state::Buffer& buffer) {
    return buffer.GetSize();
}
