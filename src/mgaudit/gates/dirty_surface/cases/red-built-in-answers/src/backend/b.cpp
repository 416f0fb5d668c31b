#include "state/s.h"
namespace mg::backend { void Draw(int) { (void)state::gC.Width(); } void Up(int) {} T gT{&Draw, &Up}; }
