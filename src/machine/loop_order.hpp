#pragma once

#include "machine/loop_pattern.hpp"

#include <utility>
#include <vector>

namespace swirl::machine {

/// An outer product's products, as (row, column).
using ProductOrder = std::vector<std::pair<std::size_t, std::size_t>>;

/// In which order to add them: so that registers' banks and the reuse cache keep up with the issue, by beam searches with the model of
/// machine/issue.hpp. At most so many, that which seems best first.
std::vector<ProductOrder> product_orders(const LoopPattern& pattern, std::size_t most);

} // namespace swirl::machine
