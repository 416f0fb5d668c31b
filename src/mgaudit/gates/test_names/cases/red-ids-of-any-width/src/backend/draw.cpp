int Draw() { return 1; }
