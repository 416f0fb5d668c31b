int Draw(int width) { return width + 1; }
