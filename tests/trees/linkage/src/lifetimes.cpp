// Objects that begin and end: what their making and their end need of another part.
namespace st { struct O { explicit O(int); virtual ~O(); virtual void U(); int x; }; struct P { P(int a = dflt()); ~P(); static int dflt(); P(const P&); }; 
template<class T> struct Tab { T v; Tab(); ~Tab(){} virtual void g(){} }; P make(); extern thread_local int tl; struct Q { P p; int z = P::dflt(); }; }
namespace be { struct W : st::O { W(int i) : st::O(i) {} st::P p; };
st::P f() { return st::P(3); }
int g() { st::P p; W w(1); w.U(); st::O* o = new W(2); delete o; st::Tab<int> t; return st::tl; }
void h(st::P p) {}
void k() { h(st::P()); h(st::make()); const st::P& r = st::make(); auto l = [&](int){ st::make(); }; l(3); st::Q q{}; st::Q q2; throw st::P(1); }
}
