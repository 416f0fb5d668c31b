#pragma once
#include "tools/trace.h"
