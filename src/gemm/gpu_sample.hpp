#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/interpreter.hpp"

#include <string>
#include <vector>

/// What a schedule's accesses to memory cost, counted by the interpreter on a product of one tile and few pieces.
namespace swirl::gemm {

struct GpuAccess {
    std::string buffer;
    bool is_shared = false; ///< else global memory
    bool is_store = false;
    ir::AccessCounts counts;
};

struct GpuSample {
    MatrixProduct product; ///< that was interpreted
    std::vector<GpuAccess> accesses;
};

/// A product that is one tile of a schedule and two pieces deep at most, as it is oriented: strides are shorter where they may be, but
/// elements lie in the lines of the caches as they do in the product.
MatrixProduct one_tile_of(const MatrixProduct& product, const GpuSchedule& schedule);

/// Runs that with β = 0. Of a schedule that suits a product with a depth.
GpuSample gpu_sample(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu);

} // namespace swirl::gemm
