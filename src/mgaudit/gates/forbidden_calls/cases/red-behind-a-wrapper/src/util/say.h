#pragma once
void Say(const char* text);
void Quiet(const char* text);
