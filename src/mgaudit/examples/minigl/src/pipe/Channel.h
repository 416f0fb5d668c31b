#pragma once

#include "pipe/inputs/PipeInputs.h"

namespace mg::pipe {

// The inputs that a frontend in the same process fills, and those that arrive from a client in another one.
extern PipeInputs* pLiveInputs;
extern PipeInputs gReceivedInputs;

// Carries calls from the frontend to the backend: at once in one process, as bytes between two.
class Channel {
public:
    template <Opcode Code>
    void Send(const typename CallTraits<Code>::Payload& payload) {
#if defined(MG_SPLIT)
        Append(Code, &payload, sizeof(payload));
#else
        pLiveInputs->Apply(CallTag<Code>{}, payload);
#endif
    }

    // Applies everything that was appended; a channel in one process has nothing to do.
    void Drain();

    u64 SentCalls() const { return m_sent; }

private:
    void Append(Opcode code, const void* payload, u32 size);

    util::Vector<u8> m_bytes;
    u64 m_sent = 0;
};

extern Channel gChannel;

} // namespace mg::pipe
