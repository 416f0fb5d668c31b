#include "state/TextureObject.h"

namespace mg::state {

u32 TextureObject2D::GetLevelCount() const {
    u32 count = 0;
    while (count < kMaxLevels && m_levels[count].width != 0)
        ++count;
    return count;
}

void TextureObject2D::SetLevel(u32 level, u32 width, u32 height, const void* texels) {
    if (level >= kMaxLevels)
        return;
    TextureLevel& target = m_levels[level];
    target.width = width;
    target.height = height;
    target.texels.Resize(width * height * 4);
    if (texels)
        util::CopyBytes(target.texels.begin(), texels, width * height * 4);
    ++m_levelSerial;
}

void TextureObjectBuffer::SetLevel(u32, u32 width, u32 height, const void* texels) {
    m_buffer->SetData(width * height * 4, texels);
    ++m_levelSerial;
}

} // namespace mg::state
