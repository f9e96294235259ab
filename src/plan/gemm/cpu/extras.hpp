#pragma once

#include "plan/gemm/cpu/amx/route.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/packed_matrix.hpp"
#include "plan/gemm/cpu/reductions.hpp"
#include "runtime/cpu/team.hpp"

#include <optional>

namespace swirl::planning {

/// Rarely used inputs of an execution.
struct MatrixExtras {
    EpilogueCall epilogue = {};
    ReductionCall reductions = {};
    PackedPanels a = {}; ///< instead of operands, of the canonical product
    PackedPanels b = {};
    std::optional<AmxRoute> route = {};               ///< already chosen
    std::optional<runtime::IterationRange> of_k = {}; ///< whole k blocks that C is updated by; nothing: all
};

} // namespace swirl::planning
