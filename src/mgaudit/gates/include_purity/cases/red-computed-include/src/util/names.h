#pragma once
#define MG_CONTEXT_HEADER "state/context.h"
