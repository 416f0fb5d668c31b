#pragma once
namespace mg::state { using Handle = unsigned; }
