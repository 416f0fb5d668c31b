#pragma once

#include "pipe/handle.h"

namespace mg::state {

struct Params {
    int filter = 0;
    int wrap = 0;
    bool operator==(const Params&) const = default;
};

class Sampler {
public:
    unsigned short Version() const { return m_version; }
    unsigned long Serial() const { return m_serial; }
    unsigned long GetLifetimeId() const { return m_lifetime; }
    pipe::TextureName Name() const { return m_name; }
    unsigned Id() const { return m_id; }
    int Width() const { return m_width; }
    const Params& GetParams() const { return m_params; }
    bool IsSame(const Sampler* other) const { return this == other; }
    void Touch() {
        ++m_version;
        ++m_serial;
    }

private:
    Params m_params;
    unsigned short m_version = 0;
    unsigned long m_serial = 0;
    unsigned long m_lifetime = 0;
    pipe::GLName m_name = 0;
    unsigned m_id = 0;
    int m_width = 0;
};

class Context {
public:
    Sampler* current = nullptr;
};

inline Context gContext;

}  // namespace mg::state
