#pragma once

namespace mg::state {

struct Sampling {
    int filter = 0;
    int wrap = 0;
};

class Buffer {
public:
    int* Words() { return m_words; }
    int Resolve(int slot) { return m_words[slot]; }
    Sampling Parameters() const { return m_sampling; }
    void Take(Sampling& out) { out = m_sampling; }
    void Consume(int bytes) { m_size -= bytes; }

    int generation = 0;

private:
    int m_words[4] = {};
    int m_size = 0;
    Sampling m_sampling;
};

extern Buffer* pBuffer;

}  // namespace mg::state
