#pragma once

#include <map>
#include <unordered_map>

#include "state/sampler.h"
#include "util/opaque.h"

namespace mg::backend {

class BackendSampler {
public:
    bool operator==(const BackendSampler&) const = default;
    int object = 0;
};

struct PassKey {
    pipe::Handle target;
    state::Params params;
    const BackendSampler* sampler = nullptr;
    auto operator<=>(const PassKey& other) const { return sampler <=> other.sampler; }
};

class Clean {
public:
    bool Use(const state::Sampler& sampler, const BackendSampler& own, pipe::Handle handle);

private:
    std::map<PassKey, int> m_passes;
    std::unordered_map<const BackendSampler*, int> m_own;
    std::map<int, int> m_widths;
    state::Params m_params;
    unsigned long m_epoch = 0;
    unsigned short m_lap = 0;
    unsigned long m_opaque = 0;
};

}  // namespace mg::backend
