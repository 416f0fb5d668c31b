// Odd ways, most of which compilers and the front end spell differently.
#include <string>
#include <map>
#include <algorithm>
#include <memory>
#include <utility>
namespace st {
struct S { S(); S(S&&); S& operator=(S&&); ~S(); int n; bool operator<(const S&) const; };
struct Base { Base(); virtual ~Base() = default; virtual void f(); void nv(); };
struct Pure { virtual void g() = 0; virtual ~Pure() = 0; };
extern "C" { int c_fn(void); extern int c_var; }
inline thread_local int itl = c_fn();
thread_local extern S tls;
struct Stat { static S inst; static const int k; static constexpr S* p = nullptr; static thread_local int t; inline static int il = c_fn(); };
template<class T> struct Sing { static T& get() { static T t; return t; } };
template<class T> concept Cn = requires(T t) { c_fn(); };
struct Ref { S& operator*(); S* operator->(); explicit operator bool() const; };
S operator+(S, S); S& global(); using Alias = S;
namespace inner { inline namespace v1 { int vf(); } namespace { int anon() { return c_fn(); } } }
struct Vis { template<class F> void visit(F f) { f(*this); } void touch(); };
void cb(void (*)(int)); int varf(int, ...);
struct NoEx { ~NoEx() noexcept(false); NoEx() noexcept; };
enum E : int; 
struct Bits { int a:3; }; 
union Un { int i; float f; };
struct OpNew { static void* operator new(std::size_t, void*); static void operator delete(void*, std::size_t); virtual ~OpNew(); };
struct Conv { Conv(const char*); }; int takes(Conv); int takes2(const Conv& = "x");
}
namespace be {
struct D : st::Base { void f() override { Base::f(); nv(); } };
D gd;
struct Q : st::Pure { void g() override; ~Q() override; };
void Q::g() {} Q::~Q() {}
int a1() { return st::itl + st::Stat::k + st::Stat::t + st::Stat::il + st::c_var; }
st::S& a2() { return st::Stat::inst; }
st::S& a3() { return st::Sing<st::S>::get(); }
template<st::Cn T> int a4(T) { return 1; } int a5() { return a4(3); }
void a6(st::Ref r) { if (r) { (*r).n = 1; r->n = 2; } }
void a7(st::S a, st::S b) { st::S c = std::move(a); c = std::move(b); std::swap(a, b); auto m = std::minmax(a, b); (void)m; }
int a8() { return st::inner::vf() + st::inner::anon(); }
void a9(st::Vis& v) { v.visit([](st::Vis& w) { w.touch(); }); st::cb([](int) { st::c_fn(); }); st::varf(1, 2.0, "x"); }
void a10() { st::NoEx n; try { throw 1; } catch (int) { st::c_fn(); } }
int a11() { return st::takes("a") + st::takes2(); }
void a12(std::map<std::string, std::unique_ptr<st::S>>& m) { m["a"] = std::make_unique<st::S>(); m.erase("a"); }
void a13() { int x = 0; auto f = [&]() mutable { x = st::c_fn(); }; f(); struct Loc { ~Loc() { st::c_fn(); } } l; }
int a14(int i) { switch (i) { case 1: return st::c_fn(); default: break; } do { st::global(); } while (false); return i ?: st::c_fn(); }
void a15() { static st::S once; static thread_local st::S per; auto& t = st::tls; (void)t; }
int a16 = [] { struct R { int r = st::c_fn(); }; return R{}.r; }();
const auto a17 = &st::Base::nv; const auto a18 = &st::Stat::k;
void a19(st::OpNew* o) { delete o; ::delete o; }
int a20() { return sizeof(st::S) + alignof(st::S) + noexcept(st::c_fn()) + (st::c_fn() ? 0 : 1); }
[[gnu::used]] static int a21() { return st::inner::vf(); }
inline int (*a22)() = &st::inner::vf;
extern "C" int a23() { return st::c_fn(); }
auto a24(st::S s) { return [s = std::move(s)]() { return s.n; }; } auto a25() { return a24(st::S())(); }
struct Mem { st::S s{}; st::S arr[2]; Mem() {} Mem(Mem&&) = default; }; void a26(Mem& m) { Mem n(std::move(m)); }
int a27() { st::S s; return [&s] { return s < s; }() ? 1 : 0; }
void a28() { for (auto&& [k, v] : std::map<int, st::S>()) { (void)k; (void)v; } }
void a29() { st::S x = st::S() + st::S(); st::Alias y; }
}
