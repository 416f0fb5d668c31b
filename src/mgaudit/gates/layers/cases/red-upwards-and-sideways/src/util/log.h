#pragma once
#include "glue/bridge.h"
void Log(const char*);
