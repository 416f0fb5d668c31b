#pragma once
#define MG_PACK(a, b) ((a) << 8 | (b))
class Cache {
    int m_size = 0;
    int Size() const { return m_size; }
};
