#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "state/sampler.h"
#include "util/hash.h"

namespace mg::backend {

using state::Sampler;

struct Slot {
    std::uintptr_t redProbed = 0;
    int value = 0;
};

struct Key {
    explicit Key(const Sampler& sampler) : redMade(util::Bits(&sampler)) {}
    bool operator==(const Key&) const = default;
    std::uint64_t redMade;
};

class Erased {
public:
    bool Use(const Sampler& sampler, pipe::Handle handle);

private:
    void* redVoid = nullptr;
    std::uintptr_t redCast = 0;
    std::uint64_t redHelped = 0;
    std::uint64_t redContext = 0;
    std::uint64_t redLifetime = 0;
    std::uint64_t redCombined = 0;
    unsigned redName = 0;
    unsigned redId = 0;
    std::unordered_map<std::uint64_t, int> redHashed;
    std::unordered_map<std::uint64_t, int> redDigested;
    std::unordered_map<std::uint64_t, int> m_byContent;
    util::Table<std::uint64_t, int> redTable;
    util::Table<std::uint64_t, int> m_table;
    util::Table<pipe::Handle, const Sampler*> m_byHandle;
    std::vector<int> redIndexed;
    std::vector<int> m_indexed;
    Slot m_slots[64];
    std::vector<Key> m_keys;
    util::HashState* m_state = util::NewHash();
};

}  // namespace mg::backend
