#pragma once

#include "fuzz/product_data.hpp"

#include <string>

namespace swirl::fuzz {

/// A product as a line for people, all that it consists of.
std::string in_words(const MatrixProduct& product, const Factors& factors);

} // namespace swirl::fuzz
