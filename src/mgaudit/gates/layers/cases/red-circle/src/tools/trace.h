#pragma once
#include "gles/flags.h"
