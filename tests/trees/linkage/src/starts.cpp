// What is there though nobody names it, and what macros and attributes write.
namespace st { struct S { S(); ~S(); int get() const; }; struct T { virtual ~T(); virtual int v(); }; int fn(int); extern int g; S m8(); }
#define MAKE(x) st::S x
#define CALL(f) f(3)
namespace be {
void m1() { MAKE(a); CALL(st::fn); }
int m2() { auto p = &st::S::get; st::S s; return (s.*p)(); }
int m3(bool b) { return b && st::fn(1) ? st::g : 0; }
struct alignas(16) A { st::S s; A& operator=(const A&) = delete; }; void m4() { A a; (void)a; }
void m5() { st::S* arr = new st::S[4]; delete[] arr; }
int m6(const st::T& t) { return const_cast<st::T&>(t).v(); }
void m7(void (*f)(st::S)) { f(st::S()); }
st::S m9() { return st::m8(); }
void m10() { st::m8(); (void)st::m8().get(); }
int m11() { static const int k = st::fn(1); return k; }
template<class T> struct Lazy { void used() { st::fn(1); } void unused() { st::g = 1; } }; void m12() { Lazy<int> l; l.used(); }
template struct Lazy<char>;
namespace { void anon() { st::g = 2; } void anonUnused() { st::fn(7); } } void m13() { anon(); }
struct E : st::T { ~E() override; int v() override { return st::T::v(); } }; E::~E() = default;
void m14() { try { m1(); } catch (const st::T& t) { throw; } }
int m15 = (st::fn(2), 3); const int m16 = st::fn(3); constexpr int m17 = 4; inline const int m18 = st::fn(4);
enum { K = sizeof(st::S) }; static_assert(noexcept(st::fn(1)) == false);
auto m19 = []<class T>(T t) { return st::fn(t); }; int m20() { return m19(4); }
using F = int(int); F* m21() { return st::fn; } F& m22 = st::fn;
void m23(st::S s = st::S()) { } void m24() { m23(); }
}
namespace st { int k1(); int k2(); int k3(); int k4(); int k5(); }
#define INIT __attribute__((constructor))
namespace be {
__attribute__((constructor)) static void i1() { st::k1(); }
[[gnu::used]] static void i2() { st::k2(); }
[[maybe_unused]] static void i3() { st::k3(); }
INIT static void i4() { st::k4(); }
__attribute__((destructor)) static void i5() { st::k5(); }
}
