#pragma once

#include "util/Vector.h"

namespace mg::util {

// A flat map: the tables of a driver this small are searched faster than they are hashed.
template <class K, class V>
class Map {
public:
    u32 Size() const { return m_keys.Size(); }

    V* Find(const K& key) {
        const u32 index = IndexOf(key);
        return index < m_keys.Size() ? &m_values[index] : nullptr;
    }

    const V* Find(const K& key) const {
        const u32 index = IndexOf(key);
        return index < m_keys.Size() ? &m_values[index] : nullptr;
    }

    V& operator[](const K& key) {
        const u32 index = IndexOf(key);
        if (index == m_keys.Size()) {
            m_keys.Push(key);
            m_values.Push(V{});
        }
        return m_values[index];
    }

    void Clear() {
        m_keys.Clear();
        m_values.Clear();
    }

    bool Erase(const K& key) {
        const u32 index = IndexOf(key);
        if (index == m_keys.Size())
            return false;
        m_keys.RemoveAt(index);
        m_values.RemoveAt(index);
        return true;
    }

private:
    u32 IndexOf(const K& key) const {
        u32 index = 0;
        while (index < m_keys.Size() && !(m_keys[index] == key))
            ++index;
        return index;
    }

    Vector<K> m_keys;
    Vector<V> m_values;
};

// What a backend remembers about a key: built once by the given function, found again ever after.
template <class K, class V>
class Memo {
public:
    template <class Build>
    V& GetOrBuild(const K& key, Build build) {
        if (V* known = m_entries.Find(key))
            return *known;
        return m_entries[key] = build();
    }

    void Clear() { m_entries.Clear(); }

private:
    Map<K, V> m_entries;
};

} // namespace mg::util
