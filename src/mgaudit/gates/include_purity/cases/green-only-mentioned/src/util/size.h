#pragma once
inline int Size() { return 4; }
