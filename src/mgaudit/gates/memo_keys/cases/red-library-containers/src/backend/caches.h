#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "state/sampler.h"

namespace mg::backend {

using state::Sampler;

class BackendSampler {};

template <class K>
using ByKey = std::unordered_map<K, int>;
template <class V>
using ByName = std::unordered_map<pipe::GLName, V>;
template <class V, class K>
using Flipped = std::map<K, V>;

struct PrivateBase {
    bool operator==(const PrivateBase&) const = default;

private:
    const Sampler* redInBase = nullptr;
};
struct DerivedKey : private PrivateBase {
    int level = 0;
    bool operator==(const DerivedKey&) const = default;
};
struct DerivedHash {
    std::size_t operator()(const DerivedKey& key) const { return key.level; }
};

// Equality does not look at the pointer, but the hash does; the other pointer only travels with the key.
struct MixedKey {
    const Sampler* redHashed = nullptr;
    const Sampler* travels = nullptr;
    int level = 0;
    bool operator==(const MixedKey& other) const { return level == other.level; }
};
struct MixedHash {
    std::size_t operator()(const MixedKey& key) const { return std::hash<const Sampler*>{}(key.redHashed) ^ key.level; }
};

struct ComparedKey {
    const Sampler* redCompared = nullptr;
    const Sampler* travels = nullptr;
};
struct ComparedOrder {
    using is_transparent = void;
    bool operator()(const ComparedKey& a, const ComparedKey& b) const { return a.redCompared < b.redCompared; }
    bool operator()(const ComparedKey& a, const Sampler* b) const { return a.redCompared < b; }
};

struct StandardKey {
    const Sampler* redStandard = nullptr;
    const Sampler* travels = nullptr;
    bool operator==(const StandardKey& other) const { return IsSame(other); }
    bool IsSame(const StandardKey& other) const { return redStandard == other.redStandard; }
};

}  // namespace mg::backend

template <>
struct std::hash<mg::backend::StandardKey> {
    std::size_t operator()(const mg::backend::StandardKey&) const { return 0; }
};

namespace mg::backend {

class RedInherited : std::unordered_map<const Sampler*, int> {
public:
    bool Has(const Sampler* sampler) const { return find(sampler) != end(); }
};

template <class T>
class Cache {
public:
    std::map<T, int> redByParameter;
};
template <class T>
class HandleCache {
public:
    std::map<pipe::Handle, T> byHandle;
};

struct Caches {
    ByKey<const Sampler*> redAlias;
    ByKey<BackendSampler*> backend;
    ByKey<pipe::TextureName> redName;
    ByName<int> redHiddenName;
    Flipped<int, pipe::GLName> redFlipped;
    Flipped<pipe::GLName, bool> value;
    std::map<std::pair<int, const Sampler*>, int> redPair;
    std::map<std::tuple<int, std::shared_ptr<Sampler>>, int> redTuple;
    std::map<std::array<const Sampler*, 2>, int> redArray;
    std::map<std::optional<const Sampler*>, int> redOptional;
    std::map<std::variant<int, const Sampler*>, int> redVariant;
    std::map<std::vector<const Sampler*>, int> redVector;
    std::unordered_set<const Sampler*> redSet;
    std::multimap<const Sampler*, int> redMulti;
    std::map<std::weak_ptr<Sampler>, int, std::owner_less<std::weak_ptr<Sampler>>> redWeak;
    std::map<pipe::Handle, std::map<const Sampler*, int>> redInner;
    std::vector<std::unique_ptr<std::set<const Sampler*>>> redBehind;
    std::unordered_map<DerivedKey, int, DerivedHash> derived;
    std::unordered_map<MixedKey, int, MixedHash> mixed;
    std::map<ComparedKey, int, ComparedOrder> ordered;
    std::unordered_map<StandardKey, int> standard;
    std::map<pipe::Handle, const Sampler*> pointerAsValue;
    std::map<pipe::Handle, std::weak_ptr<Sampler>> alive;
    Cache<const Sampler*> ofFrontend;
    Cache<BackendSampler*> ofBackend;
    HandleCache<const Sampler*> byHandle;
    RedInherited inherited;
};

void Use(Caches& caches);

}  // namespace mg::backend
