#pragma once
#include "state/context.h"
#include "state/texture.h"
