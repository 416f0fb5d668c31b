#include "state/render.h"

namespace mg::impl {

void Enable(int capability) { state::gRender.SetCapability(capability, true); }
void Range(int first, int last) { state::gRender.SetRange(first, last); }
void Width(int width) { state::gRender.SetWidth(width); }
void Mask(int mask) { state::gRender.SetMask(mask); }
void Limit(int limit) { state::gRender.SetLimit(limit); }

}  // namespace mg::impl
