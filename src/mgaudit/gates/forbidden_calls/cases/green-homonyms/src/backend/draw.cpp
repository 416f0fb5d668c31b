#include "util/stdio.h"

extern "C" int puts(const char* text);  // a declaration calls nothing

struct Console {
    int printf(const char* text);
    int puts(const char* text) { return printf(text); }
};
namespace quiet {
int printf(const char* text);
}

// printf("gone");
const char* Name() { return "printf"; }
#define MG_NAME(x) #x
const char* Other() { return MG_NAME(printf); }
int Use(Console& console) { return console.printf("x") + quiet::printf("y") + console.puts("z"); }
template <class T> void Any(T& out) { out.printf("x"); }
#ifdef MG_VERBOSE
void Idle(Console& console) { console.puts("x"); }
#endif
