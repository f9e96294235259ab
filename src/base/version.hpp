#pragma once

#include <string_view>

namespace swirl {

/// Of this library, as "major.minor.patch".
std::string_view version();

} // namespace swirl
