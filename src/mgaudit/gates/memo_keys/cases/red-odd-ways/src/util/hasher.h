#pragma once

#include <cstdint>

namespace mg::util {

class Hasher {
public:
    void Add(std::uint64_t value) { m_state = m_state * 31 + value; }
    void AddPointer(const void* pointer) { Add(reinterpret_cast<std::uintptr_t>(pointer)); }
    std::uint64_t Digest() const { return m_state; }

private:
    std::uint64_t m_state = 17;
};

}  // namespace mg::util
