int Lost() { return 2; }
