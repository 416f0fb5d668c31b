#include "backend/erased.h"

namespace mg::backend {

namespace {

std::uint64_t PointerKey(const Sampler& sampler) {
    std::size_t seed = 0;
    util::Combine(seed, sampler.Width());
    util::Combine(seed, &sampler);
    return seed;
}

std::uint64_t ContentKey(const Sampler& sampler) {
    std::size_t seed = 0;
    util::Combine(seed, sampler.Width());
    return seed;
}

}  // namespace

bool Erased::Use(const Sampler& sampler, pipe::Handle handle) {
    bool same = redVoid == &sampler;
    redVoid = const_cast<Sampler*>(&sampler);
    const auto cast = reinterpret_cast<std::uintptr_t>(&sampler);
    same |= redCast == cast;
    redCast = cast;
    same |= redHelped == util::Bits(&sampler);
    redHelped = util::Bits(&sampler);
    same |= redContext == util::Bits(&state::gContext);
    redContext = util::Bits(&state::gContext);
    same |= redLifetime == sampler.GetLifetimeId();
    redLifetime = sampler.GetLifetimeId();
    same |= redCombined == PointerKey(sampler);
    redCombined = PointerKey(sampler);
    same |= redName == sampler.Name();
    redName = sampler.Name();
    same |= redId == sampler.Id();
    redId = sampler.Id();
    redHashed[PointerKey(sampler)] = 1;
    const Sampler* pointer = &sampler;
    util::Update(m_state, &pointer, sizeof(pointer));
    redDigested.emplace(util::Digest(m_state), 1);
    m_byContent[ContentKey(sampler)] = 1;
    redTable.Put(util::Bits(&sampler), 1);
    m_table.Put(ContentKey(sampler), 1);
    same |= redTable.Find(util::Bits(&sampler)) && m_table.Find(ContentKey(sampler)) && m_byHandle.Find(handle);
    same |= redIndexed[sampler.Name()] == m_indexed[sampler.Width()];
    for (Slot& slot : m_slots)
        same |= slot.redProbed == cast;
    m_slots[0].redProbed = cast;
    const Key key(sampler);
    for (const Key& known : m_keys)
        same |= known == key;
    return same;
}

}  // namespace mg::backend
