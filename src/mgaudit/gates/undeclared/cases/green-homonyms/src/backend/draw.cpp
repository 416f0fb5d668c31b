#define MGB_TEXT(pContext) #pContext
#define MGB_SAME(pContext) (pContext)

namespace mg::backend {

struct Server {
    int pContext;  // not the frontend's pContext
};

enum class Slot { pContext };

namespace wire {
int pContext = 1;
}

int Read(const Server& server) { return MGB_SAME(server.pContext) + wire::pContext; }
int Retry(int n) {
    if (n > 3) goto pContext;
    return n;
pContext:
    return 0;
}
bool Is(Slot slot) { return slot == Slot::pContext; }
const char* const kName = "pContext";
const char* const kText = MGB_TEXT(other);

}  // namespace mg::backend
