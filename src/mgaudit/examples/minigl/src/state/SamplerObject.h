#pragma once

#include "pipe/Calls.h"

namespace mg::state {

// Says that a sampler changed; the frontend sends all units again when the number moved.
#define MG_NOTE_SAMPLERS() (++::mg::state::gSamplerNotes)

inline u64 gSamplerNotes = 0;

class SamplerObject {
public:
    const pipe::SamplerDesc& GetDesc() const { return m_desc; }

    void SetFilter(pipe::Filter filter) {
        if (m_desc.filter == filter)
            return;
        m_desc.filter = filter;
        MG_NOTE_SAMPLERS();
    }

    void SetWrap(pipe::Wrap wrap) {
        m_desc.wrap = wrap;
        MG_NOTE_SAMPLERS();
    }

private:
    pipe::SamplerDesc m_desc;
};

} // namespace mg::state
