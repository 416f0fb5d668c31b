#pragma once

#include <memory>
#include <vector>

#include "pipe/handle.h"

namespace mg::backend {
class Twin;
}

namespace mg::state {

class Texture {
public:
    void SetData(void* data) { redErased = data; }
    void SetUserData(void* data) { m_user = data; }

private:
    backend::Twin* redPlain = nullptr;
    std::vector<std::shared_ptr<backend::Twin>> redShared;
    void* redErased = nullptr;
    void* m_user = nullptr;
    pipe::Handle m_handle;
};

}  // namespace mg::state
