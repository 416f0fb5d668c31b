#pragma once

namespace mg::util {

template <class T>
void Renew(T& object) {
    object.generation = 0;
}

template <class F>
void Twice(F step) {
    step(0);
    step(1);
}

inline void Take(int& out) { out = 7; }

}  // namespace mg::util
