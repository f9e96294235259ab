#pragma once

#include "gemm/gpu/schedule.hpp"
#include "ir/interpreter.hpp"

#include <string>
#include <vector>

/// Memory access costs of a schedule, counted by the interpreter on a problem of one tile and few k-tiles.
namespace swirl::gemm {

struct GpuAccess {
    std::string buffer;
    bool is_shared = false; ///< else global memory
    bool is_store = false;
    ir::AccessCounts counts;
};

struct GpuSample {
    MatrixProduct product; ///< the interpreted problem
    std::vector<GpuAccess> accesses;
};

/// A canonical problem of one tile of a schedule and at most two k-tiles. Strides are shortened where possible, but
/// elements keep their positions within cache lines.
MatrixProduct one_tile_of(const MatrixProduct& product, const GpuGemmSchedule& schedule);

/// Interprets it with β = 0. The schedule must be feasible, and K nonzero.
GpuSample gpu_sample(const MatrixProduct& product, const GpuGemmSchedule& schedule, const target::Gpu& gpu);

} // namespace swirl::gemm
