#include "state/s.h"
namespace mg::impl { using namespace state;
void a() { gC.Push(1); } void b() { gC.PushSome(1); } void c() { gC.SetWidth(1); } void d() { gC.SetTrace(2); } void e() { gC.Bind(1); gO.Bind(2); } void f() { pTex->SetLevel(3); }
void g() { gC.pub = 3; } void h() { gC.Slot() = 2; }
void i() { gC.Point() = 1; gC.Add(1); gC.SetInner(2); SetMode(1); gW.Reset(); }
}
