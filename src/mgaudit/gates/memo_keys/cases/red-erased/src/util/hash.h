#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace mg::util {

struct HashState;
HashState* NewHash();
int Update(HashState* state, const void* bytes, std::size_t size);
std::uint64_t Digest(const HashState* state);

template <class T>
void Combine(std::size_t& seed, const T& value) {
    seed ^= std::hash<T>{}(value) + 0x9e3779b9 + (seed << 6);
}

inline std::uint64_t Bits(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

template <class K, class V>
class Table {
public:
    V* Find(const K& key) {
        for (Slot& slot : m_slots)
            if (slot.used && slot.key == key)
                return &slot.value;
        return nullptr;
    }
    void Put(const K& key, const V& value) {
        for (Slot& slot : m_slots)
            if (!slot.used) {
                slot = Slot{key, value, true};
                return;
            }
    }

private:
    struct Slot {
        K key{};
        V value{};
        bool used = false;
    };
    Slot m_slots[64];
};

}  // namespace mg::util
