#include "backend/caches.h"

namespace mg::backend {

void Use(Caches& caches) {
    caches.value[true] = 1;
    static thread_local std::unordered_set<const Sampler*> redLocal;
    redLocal.clear();
    std::set<const Sampler*> ofOneCall;  // cannot outlive what it points to
    ofOneCall.clear();
}

}  // namespace mg::backend
