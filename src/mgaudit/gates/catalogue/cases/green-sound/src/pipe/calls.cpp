#include "pipe/calls.h"

unsigned Count() { return static_cast<unsigned>(mg::pipe::Opcode::kCount); }
