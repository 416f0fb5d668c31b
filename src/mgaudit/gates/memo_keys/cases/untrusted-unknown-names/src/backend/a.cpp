#include "state/sampler.h"
