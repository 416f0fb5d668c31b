#pragma once
#include "backend/generated.h"
