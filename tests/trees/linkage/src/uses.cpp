// Ordinary ways to need a symbol, and ways that need none.
#include <memory>
#include <vector>
#include <functional>
#include <string>
#include <map>
#include <typeinfo>
#include <optional>
#include <algorithm>
namespace st {
struct S { S(); S(const S&); S(S&&) noexcept; S& operator=(const S&); ~S(); int v; bool operator<(const S&) const; int get() const; };
struct I { virtual ~I(); virtual void run() = 0; virtual int id() const; };
struct NV { ~NV(); NV(); };
struct Fin final : I { void run() override; Fin(); };
struct V : virtual I { V(); void run() override; ~V(); };
extern int g; extern const int gc; int fn(int); int fn2(int); void cb();
static const int k0 = 4;
struct K { static const int kA = 3; static constexpr int kB = 5; static int sm; static int smf(); };
extern thread_local int tl; 
extern "C" int st_cfn(int);
inline int inl() { return fn2(3); }
inline int unused() { return fn(77) + g; }
template<class T> T conv(T t) { return T(fn2(int(t))); }
template<class T> struct Holder { T t; Holder() : t() {} ~Holder() {} int q() { return t.get(); } int never() { return fn(9); } };
enum E { e1 = 3 };
struct Agg { S s; int n = fn2(1); NV nv; };
struct Ops { Ops& operator++(); Ops operator+(const Ops&) const; operator bool() const; int operator[](int) const; int operator()(int) const; };
bool operator==(const Ops&, const Ops&);
struct Rng { const int* begin() const; const int* end() const; };
}
namespace be {
int c1() { return st::K::kA + st::K::kB + st::k0 + st::e1 + (int)sizeof(st::S); }
const int& c2() { return st::K::kA; }
int c3() { return st::gc + st::g + st::K::sm + st::K::smf(); }
auto c4() { return std::make_unique<st::S>(); }
auto c5() { return std::make_shared<st::S>(); }
std::shared_ptr<st::I> c6() { return std::make_shared<st::Fin>(); }
void c7(std::vector<st::S>& v, const st::S& s) { v.push_back(s); std::sort(v.begin(), v.end()); }
void c8(std::function<void()>& f) { f = &st::cb; f = []{ st::fn(4); }; }
void c9(st::I& i) { i.run(); i.id(); i.I::id(); delete &i; }
void c10(st::Fin& f) { f.run(); delete &f; }
struct D : st::I { void run() override {} };
void c11() { D d; d.run(); new D; }
struct VD : st::V { };
void c12() { VD v; }
const std::type_info& c13(st::I& i) { (void)dynamic_cast<st::Fin*>(&i); return typeid(i); }
const std::type_info& c14() { return typeid(st::Fin); }
void c15() { try { throw st::S(); } catch (const st::Fin&) {} catch (st::S& s) {} }
int c16() { return st::conv(3.0) + st::inl(); }
int c17() { st::Holder<st::S> h; return h.q(); }
void c18() { st::Agg a{}; st::Agg b = {st::S(), 3}; }
bool c19(st::Ops a, st::Ops b) { ++a; if (a + b) return a == b; return a[3] + a(4); }
int c20(const st::Rng& r) { int n = 0; for (int x : r) n += x; return n; }
int c21() { return st::tl + st::st_cfn(2); }
int c22() { if (false) return st::fn(1); if constexpr (sizeof(int) == 2) return st::fn(2); return 0; }
static st::S gs; 
static int unusedStatic() { return st::fn(3); }
std::map<std::string, st::S> m;
void c23() { m["x"].get(); std::optional<st::NV> o; o.emplace(); }
struct W { st::S s; W& operator=(const W&) = default; };
void c24(W& a, const W& b) { a = b; W c(b); W d(std::move(c)); }
int (*c25)(int) = st::fn;
int (st::S::*c26)() const = &st::S::get;
int (st::I::*c27)() const = &st::I::id;
st::S c28() { return {}; }
decltype(st::fn(1)) c29() { return 1; }
int c30 = noexcept(st::fn(3));
auto c31() { auto l = [s = st::S()](auto x) { return s.get() + x + st::fn2(1); }; return l(3); }
}
