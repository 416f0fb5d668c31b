#pragma once

namespace mg::util {

int Clamp(int value);

} // namespace mg::util
