#pragma once

#include "util/Types.h"

namespace mg::util {

// A growing array of default-constructible values.
template <class T>
class Vector {
public:
    Vector() = default;
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() { delete[] m_items; }

    u32 Size() const { return m_size; }
    bool Empty() const { return m_size == 0; }
    T* begin() { return m_items; }
    T* end() { return m_items + m_size; }
    const T* begin() const { return m_items; }
    const T* end() const { return m_items + m_size; }
    T& operator[](u32 index) { return m_items[index]; }
    const T& operator[](u32 index) const { return m_items[index]; }

    void Push(T value) {
        if (m_size == m_capacity)
            Reserve(m_capacity ? 2 * m_capacity : 8);
        m_items[m_size++] = Move(value);
    }

    // The items beyond the old size keep whatever they held.
    void Resize(u32 size) {
        Reserve(size);
        m_size = size;
    }

    void Clear() { m_size = 0; }

    void RemoveAt(u32 index) {
        for (u32 i = index + 1; i < m_size; ++i)
            m_items[i - 1] = Move(m_items[i]);
        m_items[--m_size] = T{};
    }

private:
    void Reserve(u32 capacity) {
        if (capacity <= m_capacity)
            return;
        T* items = new T[capacity]{};
        for (u32 i = 0; i < m_size; ++i)
            items[i] = Move(m_items[i]);
        delete[] m_items;
        m_items = items;
        m_capacity = capacity;
    }

    T* m_items = nullptr;
    u32 m_size = 0;
    u32 m_capacity = 0;
};

} // namespace mg::util
