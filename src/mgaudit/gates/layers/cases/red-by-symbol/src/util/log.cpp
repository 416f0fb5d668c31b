struct Context;
int Width(const Context&);
int Log(const Context& c) { return Width(c); }
