#pragma once
#include "util/all.h"
