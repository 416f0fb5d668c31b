#include "impl/notify.h"

namespace mg::impl {

int gFrames = 0;

void OnPresent(int frame) { gFrames = frame; }
void OnResize(int) {}
void OnLost(const char*) {}
void Unused() {}
void Client::Tell(int) {}
int Hidden(int value) { return value; }

} // namespace mg::impl
