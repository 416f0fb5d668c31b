#include "state/counted.h"
#include "state/sampler.h"

namespace mg::backend {

class Seen {
public:
    bool Use(const state::Counted& counted, int index) {
        bool same = redAdded == counted.Added();
        redAdded = counted.Added();
        same |= redAssigned == counted.Assigned();
        redAssigned = counted.Assigned();
        same |= redAtomic == counted.Atomic();
        redAtomic = counted.Atomic();
        same |= redHelped == counted.Helped();
        redHelped = counted.Helped();
        const auto& each = counted.Each();
        same |= redEach[index] == each[index];
        redEach = each;
        return same;
    }

private:
    std::uint16_t redAdded = 0;
    std::uint32_t redAssigned = 0;
    std::uint64_t redAtomic = 0;
    std::uint16_t redHelped = 0;
    std::array<std::uint16_t, 4> redEach{};
};

bool Use(Seen& seen, const state::Counted& counted) { return seen.Use(counted, 0); }

}  // namespace mg::backend
