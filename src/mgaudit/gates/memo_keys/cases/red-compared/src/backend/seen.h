#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "state/sampler.h"

namespace mg::backend {

using state::Sampler;

class Image {};

struct Record {
    const Sampler* redOwner = nullptr;
    int value = 0;
};

struct Snapshot {
    const Sampler* redBytes = nullptr;
    int level = 0;
};

template <class T>
class LastSeen {
public:
    bool Same(const T& fresh) {
        if (redLast == &fresh)
            return true;
        redLast = &fresh;
        return false;
    }

private:
    const T* redLast = nullptr;
};

class Seen {
public:
    bool Use(const Sampler& sampler, const std::shared_ptr<Sampler>& shared, const Image& image);
    void Forget(const Sampler* dying);
    void Note(const Sampler* sampler) { m_forgotten = sampler; }

private:
    const Sampler* LastOf() const { return redByGetter; }
    static bool IsSame(const void* a, const void* b) { return a == b; }

    const Sampler* redPlain = nullptr;
    const Sampler* redExchanged = nullptr;
    const Sampler* redByGetter = nullptr;
    const Sampler* redByHelper = nullptr;
    const Sampler* redByItself = nullptr;
    std::shared_ptr<Sampler> redShared;
    std::vector<const Sampler*> redFound;
    std::vector<const Sampler*> redSorted;
    std::vector<std::pair<const Sampler*, int>> redPairs;
    std::vector<std::pair<const Sampler*, int>> m_neverSearched;
    std::vector<Record> m_records;
    Snapshot m_snapshot;
    const Sampler* m_forgotten = nullptr;
    const Image* m_image = nullptr;
    LastSeen<Sampler> m_samplers;
    LastSeen<Image> m_images;
};

}  // namespace mg::backend
