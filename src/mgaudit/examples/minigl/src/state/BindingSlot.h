#pragma once

#include "util/SharedPtr.h"

namespace mg::state {

// A binding point. It keeps its object alive, as GL does until the binding changes.
template <class T>
class BindingSlot {
public:
    const util::SharedPtr<T>& Get() const { return m_object; }
    bool Holds(const T* object) const { return m_object.get() == object; }

    void Bind(const util::SharedPtr<T>& object) { m_object = object; }
    void Unbind() { m_object = util::SharedPtr<T>(); }

private:
    util::SharedPtr<T> m_object;
};

} // namespace mg::state
