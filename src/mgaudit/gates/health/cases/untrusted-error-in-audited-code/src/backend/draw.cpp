int Draw() { return kUnknown; }
