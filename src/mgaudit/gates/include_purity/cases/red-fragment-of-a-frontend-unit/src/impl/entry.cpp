#include "backend/wire.inc"
int Entry() { return Wire(); }
