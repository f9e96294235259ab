#pragma once

#include "formula/index_map.hpp"

#include <optional>
#include <vector>

namespace swirl::formula {

/// first, first + stride, … of so many values.
struct Progression {
    Integer first;
    Integer count;
    Integer stride;
};

/// What an index map misses in 0…range−1, without looking at each value. Nothing where its pieces are no progressions with one
/// stride, or where it is a table.
std::optional<std::vector<Progression>> missed_progressions(const IndexMap& map);

} // namespace swirl::formula
