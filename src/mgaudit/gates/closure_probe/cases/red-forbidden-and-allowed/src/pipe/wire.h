#pragma once
#include "state/handle.h"
#include "util/bridge.h"

struct Wire { mg::state::Handle handle; };
