#pragma once

namespace mg::state {

int ComputeStride(int size);
extern int gLiveObjects;

class Object {
public:
    explicit Object(int id);
    virtual ~Object();
    virtual void Update();

    int Id() const { return m_id; }
    int Stride() const { return ComputeStride(m_id); }
    int Unused() const { return gLiveObjects; }

private:
    int m_id;
};

} // namespace mg::state
