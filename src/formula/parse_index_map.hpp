#pragma once

#include "formula/index_map.hpp"
#include "formula/scanner.hpp"

namespace swirl::formula {

/// Takes an index map, as print.hpp writes it, off the text. Throws UserError with the place and what was expected.
IndexMap parse_index_map(Scanner& scan);

} // namespace swirl::formula
