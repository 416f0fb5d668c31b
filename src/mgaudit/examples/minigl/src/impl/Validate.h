#pragma once

#include "impl/GlApi.h"
#include "state/GLContext.h"

namespace mg::impl {

// Keeps the first error until somebody asks for it.
void RecordError(Error error);

inline state::GLContext& Context() {
    return *state::pGLContext;
}

// Whether the condition holds; records the error where it does not.
inline bool Require(bool condition, Error error) {
    if (!condition)
        RecordError(error);
    return condition;
}

// Runs the action on an object, or records an error where there is none.
template <class T, class Action>
void WithObject(const util::SharedPtr<T>& object, Action action) {
    if (Require(static_cast<bool>(object), Error::InvalidOperation))
        action(*object);
}

} // namespace mg::impl
