#include "util/old.h"

#if MG_OLD_FLAG
mg::Legacy legacy;
#endif
#ifdef MG_GONE_FLAG
int gone;
#endif
mg::Fresh fresh;  // MG_OLD_FLAG, Legacy
