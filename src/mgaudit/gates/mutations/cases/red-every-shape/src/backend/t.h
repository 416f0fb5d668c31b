#pragma once
#include <memory>
namespace mg::backend { struct T { void (*Draw)(int); }; struct A { virtual ~A() = default; virtual void Present() = 0; }; extern T gT; extern std::unique_ptr<A> gA; inline T& Table() { return gT; } }
