#pragma once

#include <span>
#include <string>
#include <string_view>

namespace swirl {

/// "; did you mean 'forward'?" for the known word that takes the fewest changes of letters; empty if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

} // namespace swirl
