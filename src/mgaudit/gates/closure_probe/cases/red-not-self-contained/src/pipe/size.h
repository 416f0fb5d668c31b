#pragma once
struct Size { int width; };
