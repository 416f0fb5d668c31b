#include "backend/clean.h"

namespace mg::backend {

namespace {

unsigned long gEpoch = 0;
unsigned short gLap = 0;

// The parameter of a requires-expression is that of no function.
template <class T>
bool Equal(const T& a, const T& b) {
    return requires(T t) { t == t; } && a == b;
}

}  // namespace

bool Clean::Use(const state::Sampler& sampler, const BackendSampler& own, pipe::Handle handle) {
    ++gEpoch;
    ++gLap;
    bool same = Equal(m_lap, gLap) && m_params == sampler.GetParams();
    m_params = sampler.GetParams();
    same |= m_epoch == gEpoch;
    m_epoch = gEpoch;
    same |= m_lap == gLap;
    m_lap = gLap;
    m_passes[PassKey{handle, sampler.GetParams(), &own}] = 1;
    m_own[&own] = 1;
    m_widths[sampler.Width()] = 1;
    same |= m_opaque == util::Opaque(&sampler);
    m_opaque = util::Opaque(&sampler);
    return same;
}

}  // namespace mg::backend
