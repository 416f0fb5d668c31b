#pragma once

struct Wire { Size size; };
