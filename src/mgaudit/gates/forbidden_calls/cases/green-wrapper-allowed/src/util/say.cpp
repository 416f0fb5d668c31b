#include "util/say.h"
#include "util/stdio.h"
static void Put(const char* text) { puts(text); }
void Say(const char* text) { Put(text); }
void Quiet(const char*) {}
