// Instances of variable templates, and what a loop or a binding needs of a class and its bases.
namespace st {
int fn(int);
template <class T> extern T elsewhere;
template <class T> T plain = T(3);
extern template int plain<int>;
template <class T> T computed = T(fn(1));
template <class T> T unused = T(fn(2));
template <class T> struct Holder { static T member; };
struct Iterator { int& operator*() const; Iterator& operator++(); bool operator!=(const Iterator&) const; };
struct Range { Iterator begin() const; Iterator end() const; };
int dropped(), kept(), initial();
struct Slots { int (*one)(); const char* name; };
struct Filled { int (*one)(); int two = initial(); };
inline int (*pointer)() = &dropped;
inline constexpr Slots slots{dropped, "none"};
inline Slots table[] = {{&dropped, nullptr}};
inline Filled filled{kept};
struct Two { int a, b; ~Two(); };
}
namespace be {
struct Own : st::Range {};
int a1() { return st::plain<int> + st::plain<long> + st::elsewhere<int>; }
long a2() { return st::computed<long> + st::Holder<int>::member; }
int a3(const Own& own) { int sum = 0; for (int item : own) sum += item; return sum; }
int a4() { auto [a, b] = st::Two{1, 2}; return a + b; }
}
