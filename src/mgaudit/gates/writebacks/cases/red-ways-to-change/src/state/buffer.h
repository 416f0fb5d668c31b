#pragma once

namespace mg::state {

struct Range {
    int first = 0;
    int last = 0;
};

class Buffer {
public:
    virtual ~Buffer() = default;
    virtual void Touch() = 0;
    int* Words() { return m_words; }
    Range& Dirty() { return m_dirty; }
    int Peek() const { return ++m_peeks; }
    void Mark(int word) { Flags()[word & 3] = 1; }
    int Size() const { return m_size; }

    int generation = 0;
    int uploads = 0;
    int slots[4] = {};

private:
    int* Flags() { return m_words; }

    int m_words[4] = {};
    Range m_dirty;
    int m_size = 0;
    mutable int m_peeks = 0;
};

class Ring : public Buffer {
public:
    void Touch() override { m_head = 1; }

private:
    int m_head = 0;
};

inline void Forget(Buffer& buffer) { buffer.uploads = 0; }

extern Buffer* pBuffer;
extern int gFrame;
extern Range gRange;

}  // namespace mg::state
