#include "state/buffer.h"
#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace mg::backend {

using state::Buffer;
struct Mirror { int size = 0; util::Vec<int, 2> range; std::shared_ptr<Buffer> held; };
std::unordered_map<Buffer*, std::weak_ptr<Buffer>> refs;
std::map<int, Buffer*> byName;
std::map<int, std::shared_ptr<Buffer>> shared;
std::map<int, std::vector<Buffer*>> lists;
void r01(Buffer* key) { refs[key].lock()->Set(1); }
void r02() { byName[1] = state::pBuffer; *byName[1] = Buffer{}; }
void r03() { byName[1]->Set(1); }
void r04() { byName[1] = state::pBuffer; Buffer* raw = byName[1]; raw->a = 1; }
void r05() { state::View v = state::CurrentView(); v.buffer->a = 1; }
void r06() { auto s = state::gShared; s->Set(1); }
void r07() { for (auto& [k, v] : byName) v->a = 1; }
void r08() { for (auto& [k, v] : refs) k->a = 1; }
void r09() { std::vector<int> mine; std::swap(byName[1]->list, mine); }
void r10() { state::gList[0].a = 2; }
void r11() { state::gList.front().Set(1); }
void r12() { state::gTable[1] = 3; }
void r13() { auto it = state::gTable.find(1); it->second = 3; }
void r14() { state::gMap.at(1).a = 3; }
void r15() { state::gMap.find(1)->second.list.clear(); }
void r16() { state::Find(1)->Set(1); }
void r17() { state::Share(1)->Set(1); }
void r18() { auto s = state::Share(1); s->a = 1; }
void r19() { std::array<Buffer*, 2> both = {state::pBuffer, state::pBuffer}; both[0]->a = 1; }
void r20() { Buffer* both[2] = {state::pBuffer, state::Find(2)}; both[0]->Set(1); }
void r21() { ((int*)state::pBuffer->slots)[1] = 2; }
void r22() { std::vector<std::reference_wrapper<Buffer>> v; v.push_back(*state::pBuffer); v[0].get().a = 1; }
void r23() { std::pair<Buffer*, int> p{state::pBuffer, 1}; p.first->a = 1; }
void r24() { auto [b, n] = std::make_pair(state::pBuffer, 1); b->a = 1; }
void r25() { std::span<int> s(state::pBuffer->slots, 4); s[1] = 2; }
void r26() { state::gName[0] = 'x'; }
void r27() { state::gName.append("x"); }
void r28() { std::exchange(state::pBuffer->a, 1); }
void r29() { std::memcpy(state::pBuffer->list.data(), "x", 1); }
void r30() { int& r{state::pBuffer->a}; r = 1; }
void r31() { auto& b = *std::next(state::gList.begin()); b.a = 2; }
void r32() { lists[1].push_back(state::pBuffer); lists[1][0]->list.clear(); }
void r33() { std::for_each(state::gList.begin(), state::gList.end(), [](auto& b) { b.a = 1; }); }
void r34() { state::pBuffer->Rename(1); }
void r35() { state::pBuffer->child->next->child->Set(1); }
void r36() { *state::pBuffer->limit = 2; }
void r37() { state::pBuffer->table[1]++; }
void r38() { state::pBuffer->Range().x() = 1; }
void r39() { auto& c = state::pBuffer->Range(); c[1] = 1; }
void r40() { Mirror m; m.held = state::gShared; m.held->a = 3; }
void r41() { auto held = state::pOwner->Bound(); held->Set(1); }
void r42() { state::pOwner->GetView().buffer->a = 1; }
void r43() { auto view = state::pOwner->GetView(); Buffer* b = view.buffer; b->list.push_back(1); }
void r44() { auto copy = state::gList; copy[0].next->a = 1; }
void r45() { std::optional<Buffer*> o = state::pBuffer; (*o)->a = 1; }
void r46() { std::tuple<Buffer*, int> t{state::pBuffer, 1}; std::get<0>(t)->a = 1; }
void r47() { auto s = std::weak_ptr<Buffer>(state::gShared); if (auto l = s.lock()) l->Set(1); }
void r48() { std::vector<std::vector<Buffer*>> vv; vv.push_back({state::pBuffer}); vv[0][0]->list.clear(); }
void r49() { int* p = state::pBuffer->slots; *p++ = 1; }
void r50() { int (*p)[4] = &state::pBuffer->slots; (*p)[1] = 1; }
void r51(int k) { int* p = k ? state::pBuffer->slots : nullptr; p[1] = 1; }
void r52() { std::sort(state::gList[0].list.begin(), state::gList[0].list.end()); }
void r53() { auto m = std::move(byName[1]->list); }
void r54() { auto& l = state::pBuffer->list; auto it = l.begin(); *it = 1; }
void r55() { auto it = state::gMap.begin(); auto& [k, v] = *it; v.a = 1; }
void r56() { auto r = state::gMap.emplace(1, Buffer{}); r.first->second.a = 1; }
void r57() { auto [it, fresh] = state::gMap.try_emplace(1); it->second.a = 1; }
void r58() { Buffer* b = state::gShared.get(); b->a = 1; }
void r59() { auto p = std::make_unique<Buffer*>(state::pBuffer); (*p)->a = 1; }
void r60() { std::function<void()> f = [b = state::pBuffer] { b->a = 1; }; f(); }
void r61() { auto f = std::bind(&Buffer::Set, state::pBuffer, 1); f(); }
void r62() { std::invoke(&Buffer::Set, state::pBuffer, 1); }
void r63() { void (Buffer::*m)(int) = &Buffer::Set; (state::pBuffer->*m)(1); }
void r64() { std::map<int, state::View> views; views[1] = state::CurrentView(); views[1].buffer->a = 1; }
void r65() { std::vector<state::View> views; views.push_back(state::CurrentView()); for (auto& v : views) v.buffer->Set(1); }
void r66() { std::vector<state::View> views{state::CurrentView()}; for (auto v : views) v.buffer->list.clear(); }
void r67() { auto& s = shared[1]; s = state::gShared; auto t = s; t->a = 1; }
void r69() { new (state::pBuffer) Buffer; }
void r70() { reinterpret_cast<char*>(state::pBuffer)[0] = 1; }
template <class T> struct Slot { T held{}; T& Get() { return held; } };
struct Slots : Slot<Buffer*> {};
void r71() { Slots s; s.held = state::pBuffer; Slots t = s; t.held->a = 1; }
void r72() { Slots s; s.Get() = state::pBuffer; Slots t = s; t.Get()->list.clear(); }
Buffer* stash;
void r73() { stash = state::pBuffer; *stash = Buffer{}; }
void r74() { auto bits = std::vector<std::pair<int, Buffer*>>{{1, state::pBuffer}}; for (auto& [n, b] : bits) b->a = n; }
void r75() { std::array<state::View, 2> v{}; v[0] = state::pOwner->view; v[0].buffer->list.clear(); }
void r76() { state::View v[2]; v[1] = state::pOwner->view; auto w = v[1]; w.buffer->list.clear(); }
void Reset(util::Vec<int, 2>& range) { range.x() = 0; }
void r77() { Reset(state::pBuffer->Range()); }
void r78(const Buffer& b) { const_cast<util::Vec<int, 2>&>(b.Range()).x() = 1; }

}  // namespace mg::backend
