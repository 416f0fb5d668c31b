#pragma once

#include "pipe/Channel.h"

// The context switch: how a backend reaches its inputs. In one process it pulls from the frontend's block; split off,
// it reads the block that the channel fills. Neither arm names the frontend's context.
#if defined(MG_SPLIT)
#define MGB_CTX (&::mg::pipe::gReceivedInputs)
#else
#define MGB_CTX (::mg::pipe::pLiveInputs)
#endif
