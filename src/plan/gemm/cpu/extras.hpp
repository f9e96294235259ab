#pragma once

#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"
#include "plan/gemm/cpu/reductions.hpp"

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
