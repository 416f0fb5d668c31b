#pragma once
inline int Alone() { return 4; }
