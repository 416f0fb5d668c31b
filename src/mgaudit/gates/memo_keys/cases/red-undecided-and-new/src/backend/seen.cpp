#include "state/sampler.h"
#include "util/opaque.h"

namespace mg::backend {

class Seen {
public:
    bool Use(const state::Sampler& sampler) {
        const bool same = m_known == util::Opaque(&sampler) && redNew == util::Opaque(&sampler);
        m_known = util::Opaque(&sampler);
        redNew = util::Opaque(&sampler);
        return same;
    }

private:
    unsigned long m_known = 0;
    unsigned long redNew = 0;
};

bool Use(Seen& seen, const state::Sampler& sampler) { return seen.Use(sampler); }

}  // namespace mg::backend
