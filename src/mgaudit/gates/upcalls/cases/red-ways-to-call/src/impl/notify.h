#pragma once

namespace mg::impl {

void OnPresent(int frame);
void OnResize(int width);
void OnLost(const char* why);
void Unused();

extern int gFrames;

struct Client {
    void Tell(int what);
};

template <class T>
void Log(T value);

} // namespace mg::impl

#define MG_LOST(why) ::mg::impl::OnLost(why)
