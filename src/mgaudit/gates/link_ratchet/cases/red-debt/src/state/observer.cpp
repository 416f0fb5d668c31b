#include "state/observer.h"

namespace mg::state {

Observer::Observer(int id) : m_id(id) {}
Observer::~Observer() = default;
int Attach(int id) { return id; }

} // namespace mg::state
