#include "state/buffer.h"

namespace mg::backend {

struct Mirror {
    void Consume(int bytes) { m_seen += bytes; }
    int generation = 0;
    int m_seen = 0;
};

int Upload(Mirror& mirror) {
    auto sampling = state::pBuffer->Parameters();
    sampling.filter = 3;
    state::pBuffer->Take(sampling);
    mirror.Consume(state::pBuffer->Resolve(1));
    mirror.generation = state::pBuffer->generation;
    const auto copy = *state::pBuffer;
    int sum = copy.generation + sampling.filter;
    for (int* word = state::pBuffer->Words(); word != state::pBuffer->Words() + 4; ++word)
        sum += *word;
    state::pBuffer->Consume(sum);
    return sum;
}

}  // namespace mg::backend
