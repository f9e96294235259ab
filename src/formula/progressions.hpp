#pragma once

#include "formula/index_map.hpp"

#include <optional>
#include <vector>

namespace swirl::formula {

/// first, first + stride, …: `count` values.
struct Progression {
    Integer first;
    Integer count;
    Integer stride;
};

/// The values in 0…range−1 that an index map does not take, without evaluating it at each index. Empty if its pieces
/// are not progressions with a common stride, or if it is a table.
std::optional<std::vector<Progression>> missed_progressions(const IndexMap& map);

} // namespace swirl::formula
