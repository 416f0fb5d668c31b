#pragma once

namespace impl {
void OnPresent(int frame);
}
