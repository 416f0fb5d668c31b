#pragma once
#include "util/stdio.h"
#define MG_TRACE(text) printf("%s\n", text)
#define MG_RUN(call) (void)(call)
