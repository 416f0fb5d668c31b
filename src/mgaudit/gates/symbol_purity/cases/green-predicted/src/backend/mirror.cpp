#include "state/object.h"

namespace mg::backend {

using Stride = decltype(state::ComputeStride(0));

template <class T>
int NeverInstantiated(T value) {
    return state::ComputeStride(value);
}

Stride Show(state::Object& object) {
    object.Update();
    if (false)
        return state::ComputeStride(1);
    return object.Id() + state::Object::kAlignment + static_cast<int>(sizeof(state::ComputeStride(2)));
}

} // namespace mg::backend
