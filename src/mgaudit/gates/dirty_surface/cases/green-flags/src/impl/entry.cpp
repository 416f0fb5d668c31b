#include "state/render.h"

namespace mg::impl {

void Range(int first, int last) { state::gRender.SetRange(first, last); }
void Words(const int* words) { state::gRender.SetWords(words, 8); }
void Trace(int level) { state::gRender.Trace(level); }

}  // namespace mg::impl
