#pragma once
#define MG_PACK(a, b) ((a) << 9 | (b))
class Cache {
    int m_size = 1;
    int Size() const { return m_size; }
};
