int Blit(int width) { return width + 2; }
