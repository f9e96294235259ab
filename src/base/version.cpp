#include "base/version.hpp"

namespace swirl {

std::string_view version() { return SWIRL_VERSION_STRING; }

} // namespace swirl
