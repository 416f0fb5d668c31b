#include "state/b.h"
#include <cstring>
#include <algorithm>
#include <utility>
namespace mg::backend {
void a(state::Buffer* b) { std::memset(b, 0, sizeof *b); }
void c(state::Buffer* b) { delete b; }
void d(state::Buffer& b) { state::Buffer o; b = o; }
void e(state::Buffer& b) { ++b; }
void f(state::Buffer& b) { b.list.push_back(1); }
void g() { state::Buffer o; std::swap(*state::pBuffer, o); }
void h() { *state::pBuffer = state::Buffer{}; }
void i() { state::pBuffer = nullptr; }
void j() { state::gHolder.Ref().a = 3; }
void k() { state::gHolder.Ptr()->list.clear(); }
void l() { state::Current().a++; }
void m() { auto& b = state::Current(); for (auto& x : b.list) x = 1; }
void n() { const_cast<state::Buffer&>(state::gHolder.C()).a = 1; }
void o(state::Buffer& b) { std::fill(b.list.begin(), b.list.end(), 0); }
void p(state::Buffer& b) { int state::Buffer::*m = &state::Buffer::a; b.*m = 1; }
void q(state::Buffer& b) { auto x = std::move(b.list); }
void r(state::Buffer& b) { [&b] { b.a = 2; }(); }

void t() { static auto hook = [](state::Buffer& b) { b.a = 9; }; hook(*state::pBuffer); }
int u(const state::Buffer& b) { return b.a + b.Get() + (int)b.list.size(); }
const auto v = [](state::Buffer& b) { b.a = 4; };
}
