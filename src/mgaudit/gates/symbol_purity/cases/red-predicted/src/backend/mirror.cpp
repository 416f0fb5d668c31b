#include "state/object.h"

namespace mg::backend {

void Refresh(const state::Object& object);

class Mirror : public state::Object {
public:
    explicit Mirror(int id) : state::Object(id) {}
};

int Show(state::Object& object) {
    Refresh(object);
    object.Update();
    const Mirror mirror(object.Id());
    return object.Stride();
}

void Refresh(const state::Object&) {}

} // namespace mg::backend
