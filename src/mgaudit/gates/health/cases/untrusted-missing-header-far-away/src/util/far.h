#pragma once
#include <vendor/generated.h>
