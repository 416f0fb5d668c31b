#include "state/objects.h"

namespace mg::backend {

state::Params Default() {
    return {.width = 1};
}

state::Params* Second() {
    return new state::Params{2, 3};
}

state::Buffer* Third() {
    return new state::Buffer(4);
}

} // namespace mg::backend
