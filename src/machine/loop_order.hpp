#pragma once

#include "machine/loop_pattern.hpp"

#include <utility>
#include <vector>

namespace swirl::machine {

/// In which order to add an outer product's products, as (row, column): so that registers' banks and the reuse cache keep up with
/// the issue, by a beam search with the model of machine/issue.hpp.
std::vector<std::pair<std::size_t, std::size_t>> product_order(const LoopPattern& pattern);

} // namespace swirl::machine
