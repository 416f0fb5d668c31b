#if defined(MG_PULL)
int Width() { return mg::state::pContext->width; }
#else
int Width(int width) { return width; }
#endif
