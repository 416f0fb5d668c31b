#include "pipe/Channel.h"

namespace mg::pipe {

namespace {

PipeInputs gClientInputs;

// One record of the byte stream: the opcode, then the payload.
struct RecordHeader {
    Opcode code;
    u32 size;
};

template <Opcode Code>
void ApplyRecord(PipeInputs& inputs, const u8* bytes) {
    typename CallTraits<Code>::Payload payload;
    util::CopyBytes(&payload, bytes, sizeof(payload));
    inputs.Apply(CallTag<Code>{}, payload);
}

void Dispatch(PipeInputs& inputs, Opcode code, const u8* bytes) {
    switch (code) {
#define PIPE_APPLY(Name, Payload, Class, Flags, Wait)   \
    case Opcode::Name:                                  \
        ApplyRecord<Opcode::Name>(inputs, bytes);       \
        break;
        PIPE_CALL_LIST(PIPE_APPLY)
#undef PIPE_APPLY
    case Opcode::Invalid:
    case Opcode::End:
        break;
    }
}

} // namespace

PipeInputs* pLiveInputs = &gClientInputs;
PipeInputs gReceivedInputs;
Channel gChannel;

void Channel::Append(Opcode code, const void* payload, u32 size) {
    const RecordHeader header{code, size};
    const u32 start = m_bytes.Size();
    m_bytes.Resize(start + sizeof(header) + size);
    util::CopyBytes(m_bytes.begin() + start, &header, sizeof(header));
    util::CopyBytes(m_bytes.begin() + start + sizeof(header), payload, size);
    ++m_sent;
}

void Channel::Drain() {
    u32 position = 0;
    while (position < m_bytes.Size()) {
        RecordHeader header;
        util::CopyBytes(&header, m_bytes.begin() + position, sizeof(header));
        Dispatch(gReceivedInputs, header.code, m_bytes.begin() + position + sizeof(header));
        position += sizeof(header) + header.size;
    }
    m_bytes.Clear();
}

} // namespace mg::pipe
