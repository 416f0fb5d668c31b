int Dump() { return kNothing; }
