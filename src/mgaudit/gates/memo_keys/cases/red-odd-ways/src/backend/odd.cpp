#include "backend/odd.h"

#include <algorithm>
#include <cstdint>

namespace mg::backend {

bool Odd::Use(const Sampler& sampler, const std::shared_ptr<Sampler>& shared) {
    bool same = redAtomic.load() == &sampler;
    redAtomic = &sampler;
    const Sampler* expected = &sampler;
    same |= redSwapped.compare_exchange_strong(expected, &sampler);
    same |= !redOwner.owner_before(shared) && !shared.owner_before(redOwner);
    redOwner = shared;
    same |= redLocked.lock() == shared;
    redLocked = shared;
    same |= std::equal_to<>{}(redEqualTo, &sampler);
    redEqualTo = &sampler;
    redText[std::to_string(reinterpret_cast<std::uintptr_t>(&sampler))] = 1;
    m_text[std::to_string(sampler.Width())] = 1;
    redShifted[(sampler.GetLifetimeId() << 8) | 3u] = 1;
    const auto bits = reinterpret_cast<std::uintptr_t>(&sampler);
    same |= (redTagged & ~std::uintptr_t{1}) == bits;
    redTagged = bits | 1;
    util::Hasher pointers;
    pointers.Add(7);
    pointers.AddPointer(&sampler);
    redHasher[pointers.Digest()] = 1;
    util::Hasher content;
    content.Add(sampler.Width());
    m_hasher[content.Digest()] = 1;
    Source fresh;
    fresh.redInside = &sampler;
    same |= m_source.Equals(fresh);
    m_source = fresh;
    const auto less = [](const Sorted& entry, const Sampler* wanted) { return entry.redOrdered < wanted; };
    same |= std::lower_bound(m_sorted.begin(), m_sorted.end(), &sampler, less) != m_sorted.end();
    return same;
}

}  // namespace mg::backend
