#pragma once

#include <string>

namespace swirl {

/// The linker's build ID of the library or executable that contains this code; it identifies this build of swirl.
/// Empty if there is none.
const std::string& build_id();

} // namespace swirl
