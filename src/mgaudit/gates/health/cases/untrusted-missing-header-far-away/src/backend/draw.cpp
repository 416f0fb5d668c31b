#include "util/far.h"
int Draw() { return 1; }
