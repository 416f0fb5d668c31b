#pragma once
extern "C" {
int printf(const char* format, ...);
int puts(const char* text);
}
namespace std {
using ::printf;
using ::puts;
}
