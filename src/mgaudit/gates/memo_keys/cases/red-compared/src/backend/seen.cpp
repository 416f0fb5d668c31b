#include "backend/seen.h"

#include <algorithm>
#include <cstring>

namespace mg::backend {

bool Seen::Use(const Sampler& sampler, const std::shared_ptr<Sampler>& shared, const Image& image) {
    bool same = redPlain == &sampler;
    redPlain = &sampler;
    same |= std::exchange(redExchanged, &sampler) == &sampler;
    same |= LastOf() == &sampler;
    redByGetter = &sampler;
    same |= IsSame(redByHelper, &sampler);
    redByHelper = &sampler;
    same |= sampler.IsSame(redByItself);
    redByItself = &sampler;
    same |= redShared == shared;
    redShared = shared;
    same |= std::find(redFound.begin(), redFound.end(), &sampler) != redFound.end();
    same |= std::lower_bound(redSorted.begin(), redSorted.end(), &sampler) != redSorted.end();
    const auto pair = std::find_if(redPairs.begin(), redPairs.end(), [&](const auto& p) { return p.first == &sampler; });
    same |= pair != redPairs.end();
    for (const Record& record : m_records)
        same |= record.redOwner == &sampler;
    Snapshot fresh;
    fresh.redBytes = &sampler;
    same |= std::memcmp(&m_snapshot, &fresh, sizeof(fresh)) == 0;
    same |= m_image == &image;
    m_image = &image;
    same |= m_samplers.Same(sampler) && m_images.Same(image);
    static const Sampler* redStatic = nullptr;
    same |= redStatic == &sampler;
    redStatic = &sampler;
    thread_local const Sampler* redThread = nullptr;
    same |= redThread == &sampler;
    redThread = &sampler;
    return same;
}

void Seen::Forget(const Sampler* dying) {
    if (m_forgotten == dying)
        m_forgotten = nullptr;
}

}  // namespace mg::backend
