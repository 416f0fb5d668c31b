#include "backend/table.h"
#include "state/context.h"

#include <functional>

namespace mg::impl {

template <class Step>
void Each(int count, Step step) {
    for (int i = 0; i < count; ++i)
        step(i);
}

void CopiedSlot(int count) {
    const auto draw = backend::gTable.Draw;
    draw(count);
    state::gContext.SetMask(count);
}

void Escape(int count) {
    auto& table = backend::gTable;
    state::gContext.Marks()[1] = count;
    table.Clear(count);
}

void Field() {
    ++state::gContext.frame;
    backend::pActive->Present();
}

void Alias(int count) {
    auto& unit = state::gContext.At(count);
    backend::gTable.Draw(count);
    unit.sampler = count;
}

void Lambda(int count) {
    Each(count, [](int i) { state::gContext.SetMask(i); });
    backend::gTable.Draw(count);
}

void Other(int count) {
    Each(count, [](int i) { backend::gTable.Draw(i); });
}

void Caller(int count) { Lambda(count); }

int Reader(int count) {
    backend::gTable.Draw(count);
    return state::gContext.Mask() + state::gContext.Mark(count) + state::gContext.At(0).texture;
}

}  // namespace mg::impl

// The slot goes through `std::invoke`.
void Invoke(int count) {
    mg::state::gContext.SetMask(count);
    std::invoke(mg::backend::gTable.Draw, count);
}

// What changes state is named in one place and called in another.
void FunctionPointer(int count) {
    void (*reset)() = &mg::state::Reset;
    mg::backend::gTable.Draw(count);
    reset();
}

void MemberPointers(int index) {
    using Setter = void (mg::state::Context::*)(int);
    static const Setter setters[] = {&mg::state::Context::SetMask};
    mg::backend::gTable.Draw(index);
    (mg::state::gContext.*setters[index])(index);
}

// Algorithms over ranges are objects that are called.
#include <algorithm>

void Ranges(int count) {
    std::ranges::fill(mg::state::gContext.samplers, count);
    mg::backend::gTable.Draw(count);
}

int Searching(int count) {
    mg::backend::gTable.Draw(count);
    return *std::ranges::find(mg::state::gContext.samplers, count);
}
