#pragma once
#include <vector>
namespace mg::backend { struct T { void (*Draw)(int); void (*Upload)(int); }; extern T gT; }
namespace mg::state {
class Tex { public: virtual ~Tex() = default; virtual void SetLevel(int v) = 0; unsigned m_serial = 0; };
class Tex2D : public Tex { public: void SetLevel(int v) override { m_level = v; ++m_serial; } int m_level = 0; };
class Tex3D : public Tex { public: void SetLevel(int v) override { m_level = v; if (v) ++m_serial; } int m_level = 0; };
inline int gMode = 0;
inline int Mode() { return gMode; }
inline void SetMode(int v) { gMode = v; }
struct Inner { int a = 0; int A() const { return a; } };
class Whole { public: int Part() const { return m_part; } void Reset() { *this = Whole(); } int m_part = 0; };
class Ctx { public:
  int& Point() { return m_point; }
  int Count() const { return static_cast<int>(m_list.size()); }
  void Add(int v) { m_list.push_back(v); }
  int InnerA() const { return m_inner.A(); }
  void SetInner(int v) { m_inner = Inner{v}; }
  void Push(int v) { m_v = v; backend::gT.Upload(v); }
  void PushSome(int v) { m_v = v; if (v) backend::gT.Upload(v); }
  void SetWidth(int w) { m_width = w; }
  void SetTrace(int w) { m_trace = w; }
  void Bind(int v) { m_v = v; ++m_version; }
  int Width() const { return m_width; }
  int pub = 0;
  int& Slot() { return m_slot; }
 private: Inner m_inner; std::vector<int> m_list; int m_point = 0; int m_v = 0, m_width = 0, m_trace = 0, m_slot = 0; unsigned m_version = 0; };
class Other { public: void Bind(int v) { m_q = v; } int m_q = 0; };
extern Ctx gC; extern Tex* pTex; extern Other gO; extern Whole gW;
}
