#pragma once
#include <memory>
#include <vector>
#include <functional>
#include <cstring>
#include "backend/t.h"
namespace mg::state {
struct Obj { virtual ~Obj() = default; virtual void Touch() = 0; int pub = 0; };
struct Impl : Obj { void Touch() override { m_t = 1; } int m_t = 0; };
struct Other : Obj { void Touch() override {} };
class Ctx { public: void Set(int v) { m_v = v; } int Get() { return m_v; } int& Slot(int i) { return m_a[i]; } void Flush() { m_v = 0; backend::gT.Draw(1); } void OnlyDraw() { backend::gT.Draw(2); }
 std::unique_ptr<Obj> obj; std::vector<int> list; struct Blk { int w[4]; } blk; std::function<void()> cb; void Register(std::function<void()> f) { cb = f; } static int s_count; static void Count() { ++s_count; }
private: int m_v = 0; int m_a[4] = {}; };
extern Ctx gC;
template <class T> void Assign(T& slot, T v) { slot = v; }
}
