#pragma once

#include <map>

#include "state/sampler.h"

namespace mg::backend {

struct Entry {
    unsigned short version = 0;
};

struct HandleVersion {
    pipe::Handle handle;
    unsigned short version = 0;
    auto operator<=>(const HandleVersion&) const = default;
};

struct OnlyVersion {
    unsigned short redInKey = 0;
    int level = 0;
    auto operator<=>(const OnlyVersion&) const = default;
};

class Fresh {
public:
    bool Use(pipe::Handle handle, const state::Sampler& sampler);

private:
    unsigned short redAlone = 0;
    unsigned short redCut = 0;
    unsigned long m_serial = 0;
    pipe::Handle m_handle;
    unsigned short m_beside = 0;
    std::map<pipe::Handle, Entry> m_entries;
    std::map<HandleVersion, int> m_versions;
    std::map<OnlyVersion, int> m_onlyVersions;
};

}  // namespace mg::backend
