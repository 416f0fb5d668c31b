#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "state/sampler.h"
#include "util/hasher.h"

namespace mg::backend {

using state::Sampler;

struct Source {
    const Sampler* redInside = nullptr;
    int level = 0;
    bool Equals(const Source& other) const { return redInside == other.redInside && level == other.level; }
};

struct Sorted {
    const Sampler* redOrdered = nullptr;
    int value = 0;
};

class Odd {
public:
    bool Use(const Sampler& sampler, const std::shared_ptr<Sampler>& shared);

private:
    std::atomic<const Sampler*> redAtomic{nullptr};
    std::atomic<const Sampler*> redSwapped{nullptr};
    std::weak_ptr<Sampler> redOwner;
    std::weak_ptr<Sampler> redLocked;
    const Sampler* redEqualTo = nullptr;
    std::map<std::string, int> redText;
    std::map<std::string, int> m_text;
    std::map<std::reference_wrapper<const Sampler>, int, std::less<const Sampler>> redWrapped;
    std::map<unsigned long, int> redShifted;
    std::map<unsigned long, int> redHasher;
    std::map<unsigned long, int> m_hasher;
    std::uintptr_t redTagged = 0;
    Source m_source;
    std::vector<Sorted> m_sorted;
};

}  // namespace mg::backend
