#pragma once
namespace mg::state {
struct Context {
    int width;
    int Height() const;
};
extern Context* pContext;
}  // namespace mg::state
