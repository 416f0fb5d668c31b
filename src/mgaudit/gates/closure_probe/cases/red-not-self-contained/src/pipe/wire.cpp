#include "pipe/size.h"
#include "pipe/wire.h"
