#pragma once

#include "pipe/Handle.h"

// What a backend may tell the frontend. The definitions lie in src/impl; in a split build they are messages.
namespace mg::impl {

void OnFramePresented(u64 frame);
void OnDeviceLost(const char* reason);

} // namespace mg::impl
