#pragma once

namespace mg::state {

int ComputeStride(int size);

class Object {
public:
    static const int kAlignment = 16;

    virtual ~Object() = default;
    virtual void Update() = 0;

    int Id() const { return m_id; }
    int Stride() const { return ComputeStride(m_id); }

private:
    int m_id = 0;
};

} // namespace mg::state
