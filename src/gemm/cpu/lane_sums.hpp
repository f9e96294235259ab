#pragma once

#include "ir/builder.hpp"

#include <cstdint>
#include <span>

namespace swirl::gemm {

/// How neighbouring lanes, 2i and 2i + 1, are joined at the end of a sum over lanes.
enum class LanePair : std::uint8_t {
    sum,                 ///< even + odd
    difference,          ///< even − odd
    reversed_difference, ///< odd − even
};

/// Sums the lanes of up to as many vectors as one has lanes: lane l of the result is the sum of vectors[l]; the other
/// lanes are unspecified. Halves are added first, then quarters, …, and neighbours last, as `pair` says: the order does
/// not depend on how many vectors there are. Two shuffles and an addition join two vectors.
ir::Value lane_sums(ir::Builder& builder, std::span<const ir::Value> vectors, LanePair pair = LanePair::sum);

} // namespace swirl::gemm
