#pragma once

// The tree includes no standard header: it has to parse anywhere, with a C++ front end and nothing else.

namespace mg::util {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;

static_assert(sizeof(u32) == 4 && sizeof(u64) == 8);

template <class T>
struct RemoveReference {
    using Type = T;
};
template <class T>
struct RemoveReference<T&> {
    using Type = T;
};
template <class T>
struct RemoveReference<T&&> {
    using Type = T;
};

template <class T>
constexpr typename RemoveReference<T>::Type&& Move(T&& value) {
    return static_cast<typename RemoveReference<T>::Type&&>(value);
}

template <class T>
constexpr T Exchange(T& slot, T next) {
    T old = slot;
    slot = next;
    return old;
}

inline void CopyBytes(void* to, const void* from, u64 size) {
    auto* out = static_cast<u8*>(to);
    const auto* in = static_cast<const u8*>(from);
    for (u64 i = 0; i < size; ++i)
        out[i] = in[i];
}

} // namespace mg::util

namespace mg {

using util::i32;
using util::u16;
using util::u32;
using util::u64;
using util::u8;

} // namespace mg
