#pragma once

namespace mg::state {

enum class Target { A, B };

struct Params {
    int a = 0;
};

class Buffer {
public:
    int GetSize() const { return 1; }
};

class ObjectBase {
public:
    virtual ~ObjectBase() = default;
    virtual int GetKind() const { return 0; }
};

class Context : public ObjectBase {
public:
    int GetWidth() const { return 1; }
    int GetSize() const { return 2; }
    int GetKind() const override { return 3; }
    Buffer& GetBuffer(Target) { return m_buffer; }
    Params GetParams() const { return m_params; }
    int Scale(int factor) const { return factor; }
    float Scale(float factor) const { return factor; }
    int written = 0;

private:
    Buffer m_buffer;
    Params m_params;
};

inline int gFrame = 0;

} // namespace mg::state
