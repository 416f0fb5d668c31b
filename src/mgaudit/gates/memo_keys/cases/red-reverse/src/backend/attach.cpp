#include "backend/twin.h"
#include "state/texture.h"

namespace mg::backend {

void Attach(state::Texture& texture, Twin& twin) { texture.SetData(&twin); }

}  // namespace mg::backend
