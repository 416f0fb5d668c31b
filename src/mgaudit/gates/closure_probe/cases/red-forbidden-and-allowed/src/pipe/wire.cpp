#include "pipe/wire.h"
