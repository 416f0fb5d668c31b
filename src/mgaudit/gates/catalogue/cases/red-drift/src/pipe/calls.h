#pragma once

#include "pipe/Calls.def"

namespace mg::pipe {

enum class Opcode : unsigned { kInvalid, kCount = 4 };

struct Resource {
    unsigned handle;
    unsigned kind;
};
static_assert(sizeof(Resource) == 8);

struct Text {
    const char* begin;
    unsigned long size;
};

struct DrawInfo {
    unsigned long first;
    Text label[1];
};
static_assert(sizeof(DrawInfo) == 24);

struct Blob {
    unsigned long offset;
};

struct UploadInfo {
    Blob blob;
    unsigned level;
};

struct ClearInfo {
    unsigned mask;
};

} // namespace mg::pipe
