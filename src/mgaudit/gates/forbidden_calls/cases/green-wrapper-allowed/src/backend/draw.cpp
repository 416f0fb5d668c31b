#include "util/say.h"

void Inner() { Say("x"); }
void Outer() {
    Inner();
    Quiet("x");
}
