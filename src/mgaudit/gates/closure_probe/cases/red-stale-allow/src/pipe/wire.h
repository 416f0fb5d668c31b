#pragma once
struct Wire { unsigned handle; };
