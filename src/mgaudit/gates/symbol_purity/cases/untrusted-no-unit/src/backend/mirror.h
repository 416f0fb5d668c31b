#pragma once

namespace mg::backend {

int Show();

} // namespace mg::backend
