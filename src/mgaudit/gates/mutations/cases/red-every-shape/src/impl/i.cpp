#include "state/s.h"
#include <algorithm>
namespace mg::impl {
using state::gC;
void a() { gC.obj->Touch(); backend::gA->Present(); }
void b() { std::swap(gC.obj->pub, gC.blk.w[0]); backend::Table().Draw(1); }
void c() { std::memcpy(&gC.blk, gC.blk.w, 4); backend::gT.Draw(1); }
void d() { gC.Slot(1) = 2; backend::gT.Draw(1); }
void e() { gC.Flush(); }
void f() { gC.Set(1); gC.OnlyDraw(); }
void g() { gC.Register([] { gC.Set(9); }); backend::gT.Draw(1); }
void h() { state::Ctx::Count(); backend::gT.Draw(1); }
void i() { state::Assign(gC.obj->pub, 3); backend::gT.Draw(1); }
void j() { for (auto& x : gC.list) x = 1; backend::gT.Draw(1); }
void k() { gC.list.clear(); backend::gT.Draw(1); }
static void Submit() { backend::gT.Draw(1); }
void l() { if (gC.Get()) Submit(); gC.Set(2); }
void m() { auto set = [](int v) { gC.Set(v); }; set(1); Submit(); }
void n() { [] { backend::gT.Draw(1); gC.Set(3); }(); }
void o(backend::T& t) { t.Draw(1); gC.Set(1); }
void p() { auto* t = &backend::gT; t->Draw(1); gC.Set(1); }
void q() { if (backend::gA) gC.Set(1); }
void r() { backend::gA.reset(); gC.Set(1); }
struct Guard { ~Guard() { gC.Set(0); } };
void s() { Guard guard; backend::gT.Draw(1); }
void t() { int local = gC.Get(); local += 1; backend::gT.Draw(local); }
void u() { auto copy = gC.blk; copy.w[0] = 1; backend::gT.Draw(1); }
void Helper() { gC.Set(4); }
void v() { Helper(); Submit(); }
void w() { v(); }
void x() { v(); backend::gT.Draw(2); }
const auto kHook = [](int n) { gC.Set(n); backend::gT.Draw(n); };
struct Entry { const char* name; void (*f)(int); };
Entry kEntries[] = {{"draw", [](int n) { gC.Set(n); backend::gT.Draw(n); }}};
#define SET(n) gC.Set##n
void y() { SET()(1); backend::gT.Draw(1); }
template <class Q> void z(Q q) { gC.Set(q); backend::gT.Draw(q); }
void z1() { z(1); z('a'); }
}
