#pragma once

#include "util/Types.h"

namespace mg::util {

// Shared ownership with a count beside the object. Not thread safe: GL contexts are bound to one thread.
template <class T>
class SharedPtr {
public:
    SharedPtr() = default;
    explicit SharedPtr(T* object) : m_object(object), m_count(object ? new u32(1) : nullptr) {}
    SharedPtr(const SharedPtr& other) : m_object(other.m_object), m_count(other.m_count) { Retain(); }
    SharedPtr(SharedPtr&& other) noexcept
        : m_object(Exchange<T*>(other.m_object, nullptr)), m_count(Exchange<u32*>(other.m_count, nullptr)) {}

    // A pointer to a subclass.
    template <class U>
    SharedPtr(const SharedPtr<U>& other) : m_object(other.m_object), m_count(other.m_count) {
        Retain();
    }

    ~SharedPtr() { Release(); }

    SharedPtr& operator=(SharedPtr other) noexcept {
        T* object = Exchange(m_object, other.m_object);
        u32* count = Exchange(m_count, other.m_count);
        other.m_object = object;
        other.m_count = count;
        return *this;
    }

    T* operator->() const { return m_object; }
    T& operator*() const { return *m_object; }
    T* get() const { return m_object; }
    explicit operator bool() const { return m_object != nullptr; }
    bool operator==(const SharedPtr& other) const { return m_object == other.m_object; }

private:
    template <class U>
    friend class SharedPtr;

    void Retain() {
        if (m_count)
            ++*m_count;
    }

    void Release() {
        if (m_count && --*m_count == 0) {
            delete m_object;
            delete m_count;
        }
    }

    T* m_object = nullptr;
    u32* m_count = nullptr;
};

template <class T, class... Arguments>
SharedPtr<T> MakeShared(Arguments&&... arguments) {
    return SharedPtr<T>(new T(static_cast<Arguments&&>(arguments)...));
}

} // namespace mg::util
