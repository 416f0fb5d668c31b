#pragma once

#include "pipe/Calls.def"

#define MG_SIZE_IS(Struct, bytes) static_assert(bytes == sizeof(Struct), #Struct " has another size")

namespace mg::pipe {

enum class Opcode : unsigned { kInvalid, kCount = 4 };

struct Resource {
    unsigned handle, kind;
};
MG_SIZE_IS(Resource, 8);

struct Range {
    unsigned first, count;
};

struct DrawInfo : Range {
    union {
        unsigned mode;
    };
    unsigned pad0;
};

struct Blob {
    unsigned long offset;
};

struct UploadInfo {
    Blob blob;
    unsigned level;
    unsigned char _padding[4];
};

} // namespace mg::pipe
