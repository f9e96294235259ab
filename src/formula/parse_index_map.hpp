#pragma once

#include "formula/index_map.hpp"
#include "formula/scanner.hpp"

namespace swirl::formula {

/// Parses an index map in the notation of print.hpp. Throws UserError with the position and what was expected.
IndexMap parse_index_map(Scanner& scan);

} // namespace swirl::formula
