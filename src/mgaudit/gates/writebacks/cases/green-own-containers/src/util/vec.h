#pragma once

#include <array>

namespace mg::util {

template <class T, int N>
struct Vec {
    std::array<T, N> data;
    T& x() { return (*this)[0]; }
    const T& x() const { return data[0]; }
    T& operator[](int i) { return data[i]; }
};

}  // namespace mg::util
