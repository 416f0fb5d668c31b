#include "impl/notify.h"

void Present(int frame) {
    impl::OnPresent(frame);
    impl::OnPresent(frame + 1);
}

#define MGAUDIT_UPCALLS(entity, kind, verdict, sites) static_assert(sites > 0, entity);
#include "backend/Upcalls.inc"
