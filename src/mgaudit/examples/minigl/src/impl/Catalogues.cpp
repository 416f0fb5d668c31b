#include "backend/BackendObject.h"
#include "pipe/Calls.h"
#include "pipe/Coverage.def"
#include "pipe/Dirty.def"
#include "pipe/FillPoints.def"
#include "pipe/Mutations.def"
#include "pipe/ProgramLink.h"
#include "pipe/ReverseChannel.def"

// Compiles what the compiler can check of the catalogues; the gates check the rest.

namespace mg::impl {

namespace {

#define MG_ONE_ROW(...) +1u

constexpr u32 kVerbRows = 0u PIPE_FILL_VERB_LIST(MG_ONE_ROW);
constexpr u32 kReadRows = 0u PIPE_COVERAGE_ACCESSOR_LIST(MG_ONE_ROW);
constexpr u32 kFillRows = 0u PIPE_FILL_FIELD_LIST(MG_ONE_ROW);
constexpr u32 kDirtyRows = 0u PIPE_DIRTY_LIST(MG_ONE_ROW);
constexpr u32 kMutationRows = 0u PIPE_MUTATION_LIST(MG_ONE_ROW);
constexpr u32 kReverseRows = 0u PIPE_WRITE_BACK_LIST(MG_ONE_ROW) PIPE_UPCALL_LIST(MG_ONE_ROW);

#undef MG_ONE_ROW

static_assert(kVerbRows == sizeof(backend::GLFunctionsTable) / sizeof(void (*)()), "a slot has no verb class");
static_assert(kFillRows >= kReadRows, "an accessor that no verb may read");
static_assert(kDirtyRows > 0 && kMutationRows > 0 && kReverseRows > 0, "an empty catalogue proves nothing");

#define MG_VERB_EXISTS(Verb, Class) static_assert(sizeof(backend::GLFunctionsTable::Verb) > 0);
PIPE_FILL_VERB_LIST(MG_VERB_EXISTS)
#undef MG_VERB_EXISTS

// What the backends read, as mgaudit found it: an accessor that no call supplies is an #error in there.
#define MGAUDIT_READS(Entity, Kind, Verdict, Sites) static_assert(Sites > 0, Entity);
#include "impl/ReadSurface.inc"

} // namespace

} // namespace mg::impl
