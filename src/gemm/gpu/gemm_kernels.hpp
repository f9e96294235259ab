#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/schedule.hpp"
#include "ir/program.hpp"

#include <string_view>
#include <vector>

namespace swirl::gemm {

/// Name of the main loop's variable; each iteration multiplies one k-tile of A and B.
constexpr std::string_view k_tile_loop = "k_tile";

/// The kernels of a nonempty problem in launch order. With `multiplies` = 0 only the last is needed. Buffers: `a`, `b`,
/// `c`, in the caller's layout; `alpha_beta`, by value, has α and β in C's precision. Parameters: `multiplies` is 1, or 0 if
/// A and B are not read (α = 0); `reads_c` is 1, or 0 if C is not read (β = 0). If K is zero, `multiplies` must be 0. The
/// epilogue refers to the caller's problem, not the canonical one; its arrays are buffers `with_` + name.
std::vector<ir::Program> gpu_gemm_kernels(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                          const target::Gpu& gpu, const GpuEpilogue& epilogue = {});

/// The kernels that follow and reduce the blocks' partials (gemm/gpu/epilogue/reduction.hpp); for an empty problem the only
/// ones. They have no parameters. Results are buffers `to_` + name.
std::vector<ir::Program> gpu_reductions(const MatrixProduct& product, const GpuGemmSchedule& schedule,
                                        const target::Gpu& gpu, const GpuEpilogue& epilogue);

} // namespace swirl::gemm
