#pragma once
#include <vector>
namespace mg::state {
class Buffer { public: int a = 0; std::vector<int> list; Buffer& operator++() { ++a; return *this; } int Get() const { return a; } };
struct Holder { Buffer& Ref() { return m_b; } Buffer* Ptr() { return &m_b; } Buffer m_b; const Buffer& C() const { return m_b; } };
extern Buffer* pBuffer; extern Holder gHolder;
inline Buffer& Current() { return *pBuffer; }
}
