#if defined(MG_OLD)
int Draw() { return kOld; }
#else
int Draw() { return 1; }
#endif
