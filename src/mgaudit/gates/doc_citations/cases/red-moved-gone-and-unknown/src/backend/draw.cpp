namespace mg {

int Draw() {
    return 1;
}

int Blit() { return 2; }

} // namespace mg
