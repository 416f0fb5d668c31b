#pragma once

namespace mg::state {

struct Unit {
    int texture = 0;
    int sampler = 0;
};

class Context {
public:
    void SetMask(int mask) { m_mask = mask; }
    int Mask() { return m_mask; }
    int Mark(int value) const { return value + m_mask; }
    Unit& At(int index) { return m_units[index & 3]; }
    int* Marks() { return m_marks; }

    int frame = 0;
    int samplers[4] = {};

private:
    int m_mask = 0;
    Unit m_units[4];
    int m_marks[4] = {};
};

extern Context gContext;

inline void Reset() { gContext.SetMask(0); }

}  // namespace mg::state
