#pragma once

#include "fuzz/random.hpp"

#include <string>

namespace swirl::fuzz {

/// A text with a few changes: characters and words left out, doubled or exchanged, other integers, other characters.
std::string mutated(std::string text, Random& random);

} // namespace swirl::fuzz
