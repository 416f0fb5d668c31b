#include "state/context.h"
#include "util/log.h"
