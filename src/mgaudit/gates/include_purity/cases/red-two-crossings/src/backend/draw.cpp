#include "util/far.h"
#include "util/all.h"

int Draw(const mg::state::Context& c) { return c.detail.value; }
