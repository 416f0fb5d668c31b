#include "state/buffer.h"
#include "util/tools.h"

#define BUMP(object, field) (object)->field##s += 1

namespace mg::backend {

void Upload(state::Buffer* buffer) {
    auto& generation = buffer->generation;
    generation = 5;
    buffer->Words()[2] = 1;
    buffer->Dirty().last = 3;
    state::pBuffer->Touch();
    (void)buffer->Peek();
    util::Twice([buffer](int word) { buffer->Mark(word); });
    util::Take(buffer->slots[1]);
    BUMP(buffer, upload);
    state::Forget(*buffer);
    util::Renew(*buffer);
    auto& [first, last] = state::gRange;
    first = last;
    ++state::gFrame;
    int* cursor = buffer->Size() ? &buffer->uploads : nullptr;
    if (cursor)
        *cursor = 2;
}

}  // namespace mg::backend
