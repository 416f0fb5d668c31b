#pragma once
#include "util/log.h"
struct Context { int width; };
int Width(const Context&);
