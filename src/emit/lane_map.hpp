#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace swirl::emit {

/// The names of a vector's lanes in emitted text.
using Lanes = std::vector<std::string>;

/// The lanes of a shuffle's result, of those of its operands one after the other; a lane that the map leaves open is the
/// first.
Lanes shuffled(const Lanes& first, const Lanes& last, std::span<const std::int8_t> lane_map);

} // namespace swirl::emit
