#pragma once

#include <string>

namespace swirl {

/// What tells this build of swirl from any other: the mark that the linker has put into the library, or the program, that
/// holds this code. Empty where there is none.
const std::string& build_id();

} // namespace swirl
