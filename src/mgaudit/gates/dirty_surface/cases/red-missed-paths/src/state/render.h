#pragma once

#define MG_NOTE() (++::mg::state::gNotes)
#define MG_CAPABILITY(name)     \
    case name:                  \
        m_##name##Enabled = on; \
        ++m_version;            \
        break;

namespace mg::state {

inline unsigned gNotes = 0;

enum Capability { Blend, Depth, Dither };

template <class T>
bool Update(T& slot, T value) {
    if (slot == value)
        return false;
    slot = value;
    return true;
}

class RenderState {
public:
    void SetCapability(int capability, bool on) {
        switch (capability) {
            MG_CAPABILITY(Blend)
            MG_CAPABILITY(Depth)
        case Dither:
            m_DitherEnabled = on;
            break;
        }
    }
    void SetRange(int first, int last) {
        bool changed = Update(m_first, first);
        changed |= Update(m_last, last);
        if (changed)
            ++m_version;
    }
    void SetWidth(int width) {
        int* slot = width > 1 ? &m_wide : &m_narrow;
        *slot = width;
        if (width > 1)
            MG_NOTE();
    }
    void SetMask(int mask) {
        for (int& word : m_words) {
            if (word == mask)
                continue;
            word = mask;
            MG_NOTE();
        }
    }
    void SetLimit(int limit) {
        m_limit = limit;
        if (limit < 0)
            goto out;
        ++m_version;
    out:
        return;
    }

private:
    bool m_BlendEnabled = false, m_DepthEnabled = false, m_DitherEnabled = false;
    int m_first = 0, m_last = 0, m_wide = 0, m_narrow = 0, m_limit = 0;
    int m_words[4] = {};
    unsigned m_version = 0;
};

inline RenderState gRender;

}  // namespace mg::state
