#pragma once
#include "state/detail.h"
