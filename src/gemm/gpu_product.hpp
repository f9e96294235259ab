#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_schedule.hpp"
#include "ir/program.hpp"

#include <string_view>
#include <vector>

namespace swirl::gemm {

/// The name of the variable of a kernel's main loop, which multiplies a piece of A by one of B at a time.
constexpr std::string_view gpu_piece_loop = "piece";

/// The kernels of a product that is not empty, in the order of their launches; where `steps` is 0 the last one alone is needed. Buffers: `a`, `b`, `c` are the caller's, as the
/// product states them; `factors`, by value, has α and β in C's precision. Parameters: `steps` is 1, or 0 where A and B are not to
/// be read (α = 0); `reads_c` is 1, or 0 where C is not (β = 0). Where the product's depth is zero `steps` must be 0. The epilogue
/// is that of the product as it is stated; its arrays are further buffers, `with_` and their names.
std::vector<ir::Program> gpu_product(const MatrixProduct& product, const GpuSchedule& schedule,
                                     const target::Gpu& gpu, const GpuEpilogue& epilogue = {});

/// The kernels behind these that make results of what blocks have left of reductions (gemm/gpu_reduction.hpp); of a product that is empty
/// the only ones. They have no parameters. Results are buffers `to_` and their names.
std::vector<ir::Program> gpu_reductions(const MatrixProduct& product, const GpuSchedule& schedule,
                                        const target::Gpu& gpu, const GpuEpilogue& epilogue);

} // namespace swirl::gemm
