#include "gles/extra.h"
