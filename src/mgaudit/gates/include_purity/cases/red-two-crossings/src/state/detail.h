#pragma once
namespace mg::state { struct Detail { int value; }; }
