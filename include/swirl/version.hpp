#pragma once

#include <swirl/export.h>

#include <string_view>

namespace swirl {

/// Version of the library, as "major.minor.patch".
SWIRL_API std::string_view version();

} // namespace swirl
