#pragma once
inline int Width(const Unknown& u) { return u.width; }
