#include "state/context.h"
int Width(const Context& c) { return c.width; }
