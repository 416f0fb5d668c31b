int Idle() { return 0; }
