#pragma once

#include "sass/loop_pattern.hpp"

#include <utility>
#include <vector>

namespace swirl::sass {

/// The FMAs of an outer product, as (row, column).
using FmaSequence = std::vector<std::pair<std::size_t, std::size_t>>;

/// Orders of the FMAs in which register banks and the reuse cache keep up with the issue, found by beam searches with
/// the model of sass/issue.hpp. At most `most` of them, the best first.
std::vector<FmaSequence> fma_sequences(const LoopPattern& pattern, std::size_t most);

} // namespace swirl::sass
