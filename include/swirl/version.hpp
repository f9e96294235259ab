#pragma once

#include <swirl/export.h>
#include <swirl/version.h>

#include <string_view>

namespace swirl {

/// Version of the library that is loaded, as "major.minor.patch"; that of the headers is SWIRL_VERSION_STRING.
SWIRL_API std::string_view version();

} // namespace swirl
