
#include "state/context.h"
