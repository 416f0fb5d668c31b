#pragma once
namespace mg::state { struct Texture { int name; }; }
