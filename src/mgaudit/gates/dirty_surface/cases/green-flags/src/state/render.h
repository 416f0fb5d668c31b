#pragma once

namespace mg::state {

class RenderState {
public:
    void SetRange(int first, int last) {
        bool changed = false;
        const auto set = [&](int& slot, int value) {
            if (slot == value)
                return;
            slot = value;
            changed = true;
        };
        set(m_first, first);
        set(m_last, last);
        if (!changed)
            return;
        Bump();
    }
    void SetWords(const int* words, int count) {
        bool changed = false;
        for (int i = 0; i < count; ++i) {
            switch (words[i]) {
            case 0:
                continue;
            case 1:
                m_words[i] = 1;
                changed = true;
                break;
            default:
                if (m_words[i] == words[i])
                    break;
                m_words[i] = words[i];
                changed = true;
            }
        }
        if (changed)
            Bump();
    }
    void Trace(int level) { m_trace = level; }

private:
    void Bump() { ++m_version; }

    int m_first = 0, m_last = 0, m_trace = 0;
    int m_words[8] = {};
    unsigned m_version = 0;
};

inline RenderState gRender;

}  // namespace mg::state
