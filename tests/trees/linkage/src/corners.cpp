// Rarer ways: inherited constructors, thunks, storage functions, instances declared elsewhere, jumps into dead code.
#include <memory>
#include <utility>
#include <tuple>
#include <compare>
#include <mutex>
#include <thread>
#include <future>
#include <variant>
#include <unordered_map>
namespace st {
struct S { S(); explicit S(int); S(const S&); ~S(); int v; int get() const; void set(int = 3); friend bool operator!=(const S&, const S&); static S make(); };
int fn(int); int fn2(int); extern int g;
struct B1 { virtual void f(); virtual ~B1(); int a; }; struct B2 { virtual void h(); virtual ~B2(); int b; virtual B2* clone(); };
struct M : B1, B2 { void h() override; M(); M* clone() override; };
struct New { void* operator new(unsigned long); void operator delete(void*); New(); ~New(); };
struct Inh { Inh(int); Inh(double, S = S()); };
template<class T> struct Tab { T get(); static int count; Tab(); };
extern template struct Tab<int>;
template<class T> T tfun(T);
struct Cmp { int a; S s; auto operator<=>(const Cmp&) const; bool operator==(const Cmp&) const; };
inline int withStatic() { static S s(fn(1)); return s.get(); }
inline S inlineVar{5};
template<class T> S tmplVar{6};
extern S& ref; extern S arr[4]; extern int (*fp)(int);
struct H { std::size_t operator()(const S&) const; };
struct Eq { bool operator()(const S&, const S&) const; };
struct Priv { private: int secret(); friend int peek(Priv& p) { return p.secret(); } };
struct Base0 { Base0(); Base0(int) noexcept; };
struct ARef { const S& s; };
struct Tup { int a, b; };
template<std::size_t I> int get(const Tup&);
void take(S); void takeRef(const S& = S(7));
struct Bit { unsigned x : 3; int operator()(){ return fn2(x); } };
struct Conv { operator S() const; };
struct Log { template<class T> Log& operator<<(const T&) { out(); return *this; } void out(); };
S& operator<<(S&, int);
S operator""_s(unsigned long long);
typedef void (*Fn)(S);
struct Slots { Fn a; int (*b)(int); };
enum class Ec { a }; Ec operator|(Ec, Ec);
}
template<> struct std::tuple_size<st::Tup> { static const std::size_t value = 2; };
template<std::size_t I> struct std::tuple_element<I, st::Tup> { using type = int; };
namespace be {
struct X : st::M { };
void d1() { X x; x.h(); static_cast<st::B2&>(x).h(); }
void d2() { delete new st::New; }
struct I2 : st::Inh { using st::Inh::Inh; };
void d3() { I2 i(3); I2 j(2.0); }
int d4() { st::Tab<int> t; return t.get() + st::tfun(4) + st::Tab<long>::count; }
bool d5(const st::Cmp& a, const st::Cmp& b) { return a == b || a != b; }
int d6() { return st::withStatic() + st::inlineVar.get() + st::tmplVar<int>.get(); }
int d7() { return st::ref.get() + st::arr[1].v + st::fp(2); }
std::unordered_map<st::S, int, st::H, st::Eq> um; void d8() { um.find(st::S()); }
int d9(st::Priv& p) { return peek(p); }
struct Ft : st::Base0 { st::S s; Ft() try : st::Base0(st::fn(1)), s(2) { st::fn2(1); } catch (...) { st::fn(8); } Ft(int) : Ft() { } };
Ft gft(1);
int d10() { auto [a, b] = st::Tup{1, 2}; auto& [c, d] = std::as_const(*new st::Tup{}); return a + b + c + d; }
void d11(bool b) { st::take(b ? st::S(1) : st::S()); st::takeRef(); st::S s; s.set(); st::ARef r{st::S(1)}; (void)r; }
void d12() { std::thread t([]{ st::fn(11); }); t.join(); std::call_once(*new std::once_flag, st::fn, 3); auto f = std::async(st::fn2, 2); }
void d13() { std::variant<int, st::S> v; v = 3; v.emplace<st::S>(); }
void d14(st::Conv c) { st::S s = c; st::S t(c); st::S u = st::S::make(); s << 3; }
void d15() { st::Log l; l << 3 << "x"; using st::operator""_s; auto s = 3_s; }
st::S operator""_q(unsigned long long) { return st::S(); }
extern const st::Slots slots; const st::Slots slots = { st::take, &st::fn };
static constexpr st::Slots hidden = { st::take, nullptr };
auto d16() { return st::Ec::a | st::Ec::a; }
template<class T> int gen(T t) { struct L { virtual int z() { return st::fn(31); } }; L l; L& r = l; return r.z() + t.get(); }
int d17() { return gen(st::S()); }
template<class T> struct Crtp { int go() { return static_cast<T*>(this)->impl(); } };
struct Cr : Crtp<Cr> { int impl(); };
int Cr::impl() { return st::fn(5); }
int d18() { return Cr().go(); }
inline int neverCalled() { return st::fn(99) + st::g; }
struct Lazy { int a = st::fn(1); st::S s{3}; Lazy() = default; Lazy(int) : a(2) {} };
void d19() { Lazy l; Lazy m(1); Lazy n = l; }
st::S* d20() { return new st::S[3]; }
void d21(st::S* p) { delete[] p; p->~S(); new (p) st::S(3); }
void d22() { st::S a[2]; thread_local st::S t; static st::S u; }
union U { st::S s; U() {} ~U() { s.~S(); } };
void d23() { U u; }
struct Opt { std::unique_ptr<st::S> p; }; void d24(Opt o) { Opt q = std::move(o); }
void d25(std::pair<int, st::S> p) { std::pair<int, st::S> q = p; std::tuple<st::S> t; }
void d26() { if (int x = st::fn(2); x) st::fn2(x); for (st::S s; s.get();) {}  switch (st::S s; s.v) { default: st::fn(1); } }
void d27() { auto l = [](st::S s) { return s.get(); }; int (*p)(st::S) = l; (void)p; }
void d28() { [[maybe_unused]] auto p = static_cast<void (*)(st::S)>(&st::take); goto x; if (0) { x: st::fn2(9); } }
int d29 = [] { return st::fn(12); }();
template<class... T> int sum(T... t) { return (st::fn(t) + ... + 0); } int d30() { return sum(1, 2); }
}
template struct st::Tab<char>;
template int be::gen<st::S>(st::S);
namespace st {
template<class T> struct Ext { T v; Ext() { fn(41); } virtual ~Ext() { fn(42); } int read() { return fn(43); } virtual int look() { return fn(44); } };
extern template struct Ext<int>;
template<class T> struct Own { T v; int read() { return fn2(45); } int other() { return Fresh(); } static int Fresh(); };
}
template struct st::Own<char>;
namespace be { int e1() { st::Ext<int> e; return e.read() + e.look(); } int e2() { st::Ext<long> e; return e.look(); } }
