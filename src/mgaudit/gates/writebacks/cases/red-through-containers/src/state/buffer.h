#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/vec.h"

namespace mg::state {

struct Base { void Rename(int v) { name = v; } int name = 0; };
class Buffer : public Base {
public:
    void Set(int v) { a = v; }
    int Get() const { return a; }
    const util::Vec<int, 2>& Range() const { return range; }
    util::Vec<int, 2>& Range() { return range; }
    int a = 0;
    int slots[4] = {};
    std::vector<int> list;
    std::map<int, int> table;
    util::Vec<int, 2> range;
    Buffer* next = nullptr;
    std::shared_ptr<Buffer> child;
    std::optional<int> limit;
};
struct View { Buffer* buffer; int n; };
View CurrentView();
Buffer* Find(int);
std::shared_ptr<Buffer> Share(int);
extern Buffer* pBuffer;
extern std::shared_ptr<Buffer> gShared;
extern std::vector<Buffer> gList;
extern std::map<int, Buffer> gMap;
extern std::map<int, int> gTable;
extern std::string gName;
struct Owner { const std::shared_ptr<Buffer>& Bound() const { return bound; } std::shared_ptr<Buffer> bound; View view; View GetView() const { return view; } };
extern Owner* pOwner;

}  // namespace mg::state
