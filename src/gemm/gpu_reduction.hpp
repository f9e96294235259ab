#pragma once

#include "gemm/gpu_epilogue.hpp"
#include "gemm/gpu_range.hpp"
#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <optional>

/// Reductions over C on GPUs. Each block leaves one number for each row, or column, of its tile, or one for all of it: a part of a
/// result. Where results have several parts these lie in the workspace, and a kernel behind the product's takes them together. The order
/// is fixed by the schedule alone, so results have the same bits at each execution.
namespace swirl::gemm {

/// Of no numbers: 0, −∞, ∞.
ir::Value neutral_of(ir::Builder& builder, ir::Type type, Reduce operation);
/// Of two numbers, or vectors of such; NaN where one is.
ir::Value reduce_two(ir::Builder& builder, Reduce operation, ir::Value a, ir::Value b);
/// Of the lanes of a vector, the first ones with each other and then with the last.
ir::Value reduce_lanes(ir::Builder& builder, Reduce operation, ir::Value vector);

/// How many results there are, and how many parts each of them has. Part p of result r is element p·results + r; the results of a matrix of a
/// batch are next to each other.
struct GpuResultParts {
    Integer results = 1;
    Integer parts = 1;
    bool are_results() const { return parts == 1; }
};
/// That take the parts of one result in turns, in the kernel below.
Integer threads_of_result(const GpuResultParts& parts);
/// Where a kernel leaves parts: the caller's array where these are the results. Kernels for numbers inside of the range of terms and for
/// others have different tiles, so their parts lie apart.
ir::BufferInfo buffer_of_result_parts(const GpuReduction& reduction, const GpuResultParts& parts,
                                      ir::Scalar scalar, std::optional<GpuRangeSide> side = {});

/// The kernel that makes results of parts, of 0, too: where the numbers are on this side, if one is said.
ir::Program gpu_reduce(const GpuReduction& reduction, const GpuResultParts& parts, ir::Scalar scalar,
                       std::optional<GpuRangeSide> side = {});

} // namespace swirl::gemm
