#pragma once

#include <span>
#include <string_view>

namespace swirl::search {

/// The files of data/wisdom, which cmake/ShippedWisdom.cmake puts into the library.
std::span<const std::string_view> shipped_texts();

} // namespace swirl::search
