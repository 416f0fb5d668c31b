#pragma once

namespace mg {

struct Table {
    void (*Draw)();
    void (*Clear)();
    void (*Flush)();
    void (*Trace)();
};

struct Object {
    virtual ~Object() = default;
    virtual void Present() = 0;
};

extern Table gTable;
extern void (*gHook)();

} // namespace mg
