#pragma once
#include "state/context.h"
