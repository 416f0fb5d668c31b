#pragma once
#define MG_OLD_FLAG 1
namespace mg { struct Legacy {}; struct Fresh {}; }
