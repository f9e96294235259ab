#pragma once

#include "plan/amx_route.hpp"
#include "plan/matrix_epilogue.hpp"
#include "plan/matrix_reductions.hpp"
#include "plan/packed_matrix.hpp"

#include <optional>

namespace swirl::planning {

/// Rarely used inputs of an execution.
struct MatrixExtras {
    EpilogueCall epilogue = {};
    ReductionCall reductions = {};
    PackedPanels a = {}; ///< instead of operands, of the canonical product
    PackedPanels b = {};
    std::optional<AmxRoute> route = {}; ///< already chosen
};

} // namespace swirl::planning
