#include "state/object.h"

namespace mg::state {

int gLiveObjects = 0;

int ComputeStride(int size) { return (size + 3) & ~3; }

Object::Object(int id) : m_id(id) {}
Object::~Object() = default;
void Object::Update() {}

} // namespace mg::state
