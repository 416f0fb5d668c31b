#include "impl/notify.h"

void Present(int frame) {
    impl::OnPresent(frame);
}

#define MGAUDIT_UPCALLS(entity, kind, verdict, sites) static_assert(sites > 0, entity);
#include "backend/Upcalls.inc"
