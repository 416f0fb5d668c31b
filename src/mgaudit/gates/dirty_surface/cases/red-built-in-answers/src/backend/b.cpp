#include "state/s.h"
namespace mg::backend { void Draw(int) { (void)state::gC.Width(); (void)(state::gC.Point() + state::gC.Count() + state::gC.InnerA() + state::Mode() + state::gW.Part()); } void Up(int) {} T gT{&Draw, &Up}; }
