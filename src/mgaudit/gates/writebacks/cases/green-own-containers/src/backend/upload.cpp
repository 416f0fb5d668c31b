#include "state/buffer.h"
#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace mg::backend {

using state::Buffer;
struct Image;
void CreateImage(int size, Image** out);
struct Mirror {
    Image* image = nullptr;
    int size = 0;
    util::Vec<int, 2> range;
    int words[4] = {};
    std::shared_ptr<Buffer> held;
    std::vector<int> mips;
    void Sync(const std::shared_ptr<Buffer>& buffer) {
        size = buffer->Get();
        range = buffer->Range();
        range.x() = buffer->Range().x();
        std::copy_n(buffer->slots, 4, words);
        held = buffer;
        mips.push_back(buffer->a);
        bound[0] = this;
    }
    static Mirror* bound[4];
};
Mirror* Mirror::bound[4] = {};
template <class S, class B>
class Registry {
public:
    std::shared_ptr<B>& GetOrCreate(const std::shared_ptr<S>& object) {
        auto* key = object.get();
        auto known = m_refs.find(key);
        if (known != m_refs.end() && known->second.expired())
            Erase(key);
        m_refs[key] = object;
        return m_objects[key];
    }
    auto find(S* key) { return m_objects.find(key); }
    auto end() { return m_objects.end(); }
    void Erase(S* key) { m_refs.erase(key); m_objects.erase(key); }
private:
    std::unordered_map<S*, std::weak_ptr<S>> m_refs;
    std::unordered_map<S*, std::shared_ptr<B>> m_objects;
};
Registry<Buffer, Mirror> registry;
std::vector<std::vector<Mirror>> released;
std::unordered_map<Buffer*, Mirror> residents;
struct Key { Buffer* buffer; int id; bool operator==(const Key&) const = default; };
struct Hash { std::size_t operator()(const Key& k) const { return k.id; } };
std::unordered_map<Key, Mirror, Hash> byKey;
void g01(const std::shared_ptr<Buffer>& b) { auto& m = registry.GetOrCreate(b); if (!m) m = std::make_shared<Mirror>(); m->Sync(b); }
void g02(const std::shared_ptr<Buffer>& b) { auto it = registry.find(b.get()); auto& m = it != registry.end() ? it->second : registry.GetOrCreate(b); m->size = 1; m->mips.clear(); }
void g03(const std::shared_ptr<Buffer>& b) { auto& entry = residents[b.get()]; entry.held = b; entry.size = b->Get(); released[0].push_back(std::move(entry)); }
void g04(Buffer& b) { Key key{&b, 1}; auto it = byKey.find(key); if (it == byKey.end()) { Mirror fresh{}; auto [at, made] = byKey.emplace(key, std::move(fresh)); it = at; } it->second.size = 2; CreateImage(1, &it->second.image); }
void g05(Buffer& b) { auto range = b.Range(); range.x() = 3; range[1] = 2; }
void g06(Buffer& b) { auto list = b.list; list[0] = 1; list.clear(); auto table = b.table; table[1] = 2; }
void g07(Buffer& b) { state::View v{&b, 1}; v.n = 2; v.buffer = nullptr; }
void g08(Buffer& b) { std::vector<Buffer*> mine; mine.push_back(&b); mine[0] = nullptr; mine.clear(); }
void g09(Buffer& b) { Buffer* local[2] = {&b, &b}; local[0] = nullptr; int words[2] = {b.a, b.slots[1]}; words[0] = 1; }
void g10(Buffer& b) { std::vector<int> ints{b.a, b.slots[0]}; ints[0] = 1; for (auto& i : ints) i = 2; }
void g11() { auto s = state::gShared; s = nullptr; s.reset(); std::weak_ptr<Buffer> w = state::gShared; w.reset(); }
void g12() { for (auto copy : state::gList) copy.a = 1; }
void g13(Buffer& b) { std::map<int, Buffer*> m; m[1] = &b; m[1] = nullptr; m.erase(1); m.insert({2, &b}); }
void g14(Buffer& b) { std::tuple<int, int> t{b.a, 1}; std::get<0>(t) = 2; auto [x, y] = t; x = 1; }
void g15(Buffer& b) { std::array<int, 4> a; std::copy(b.slots, b.slots + 4, a.begin()); a[0] = 1; }
void g16(Buffer& b) { int local[4]; std::memcpy(local, b.slots, sizeof local); local[1] = 2; }
void g17(Buffer& b) { std::optional<Buffer*> o; o = &b; o.reset(); o.emplace(nullptr); }
void g18(Buffer& b) { auto mine = std::make_unique<Mirror>(); mine->size = b.a; mine->mips.push_back(b.Get()); }
void g19(Buffer& b) { std::swap(Mirror::bound[0], Mirror::bound[1]); Mirror::bound[b.a] = nullptr; }
void g20(const std::shared_ptr<Buffer>& b) { std::vector<std::shared_ptr<Buffer>> keep; keep.push_back(b); keep.back() = nullptr; keep.pop_back(); std::swap(keep[0], keep[1]); }
void g21(const std::shared_ptr<Buffer>& b) { auto copy = b; std::shared_ptr<Buffer> other; std::swap(copy, other); copy = std::move(other); }

}  // namespace mg::backend
