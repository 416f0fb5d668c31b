#pragma once
#include "state/detail.h"
namespace mg::state { struct Context { Detail detail; }; }
