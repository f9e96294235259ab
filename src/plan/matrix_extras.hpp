#pragma once

#include "plan/matrix_epilogue.hpp"
#include "plan/matrix_reductions.hpp"
#include "plan/packed_matrix.hpp"
#include "plan/sliced_route.hpp"

#include <optional>

namespace swirl::planning {

/// What few products have beside their operands.
struct MatrixExtras {
    EpilogueCall epilogue = {};
    ReductionCall reductions = {};
    PackedPanels a = {}; ///< in place of operands, of the product as it is oriented
    PackedPanels b = {};
    std::optional<SlicedRoute> route = {}; ///< chosen already
};

} // namespace swirl::planning
