#pragma once

namespace mg::backend {

struct Table {
    void (*Draw)(int count);
    void (*Clear)(int mask);
};

class Active {
public:
    virtual ~Active() = default;
    virtual void Present() = 0;
};

extern Table gTable;
extern Active* pActive;

}  // namespace mg::backend
