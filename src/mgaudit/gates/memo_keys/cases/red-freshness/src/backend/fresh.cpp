#include "backend/fresh.h"

namespace mg::backend {

bool Fresh::Use(pipe::Handle handle, const state::Sampler& sampler) {
    bool same = redAlone == sampler.Version();
    redAlone = sampler.Version();
    same |= redCut == static_cast<unsigned short>(sampler.Serial());
    redCut = static_cast<unsigned short>(sampler.Serial());
    same |= m_serial == sampler.Serial();
    m_serial = sampler.Serial();
    if (m_handle == handle && m_beside == sampler.Version())
        same = true;
    m_handle = handle;
    m_beside = sampler.Version();
    Entry& entry = m_entries[handle];
    same |= entry.version == sampler.Version();
    entry.version = sampler.Version();
    m_versions[HandleVersion{handle, sampler.Version()}] = 1;
    m_onlyVersions[OnlyVersion{sampler.Version(), 0}] = 1;
    return same;
}

}  // namespace mg::backend
