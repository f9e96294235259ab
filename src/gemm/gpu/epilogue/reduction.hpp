#pragma once

#include "gemm/gpu/epilogue/epilogue.hpp"
#include "gemm/gpu/epilogue/range_check.hpp"
#include "gemm/reduction.hpp"
#include "ir/program.hpp"
#include "problem/matrix_product.hpp"

#include <optional>

/// Reductions over C on GPUs. Each block stores one partial per row or column of its tile, or one for all of it. If a
/// result has several partials, these lie in the workspace and a second kernel reduces them. The schedule alone fixes
/// the order, so results are bitwise reproducible.
namespace swirl::gemm {

/// Over the lanes of a vector: the leading ones pairwise, then with the last.
ir::Value reduce_lanes(ir::Builder& builder, Reduce operation, ir::Value vector);

/// The number of results, and of partials per result. Partial p of result r is element p·results + r; the results of
/// one matrix of a batch are contiguous.
struct ReductionPartials {
    Integer results = 1;
    Integer partials = 1;
    bool are_results() const { return partials == 1; }
};
/// Threads of the kernel below that share one result's partials.
Integer threads_of_result(const ReductionPartials& partials);
/// The buffer of partials: the caller's array if these are the results. The primary and fallback kernels have
/// different tiles, so their partials are separate.
ir::BufferInfo buffer_of_reduction_partials(const GpuReduction& reduction, const ReductionPartials& partials,
                                            DataType scalar, std::optional<KernelPath> path = {});

/// The kernel that reduces partials, also zero of them, to results; runs only if `path`, where given, was taken.
ir::Program gpu_reduce(const GpuReduction& reduction, const ReductionPartials& partials, DataType scalar,
                       std::optional<KernelPath> path = {});

} // namespace swirl::gemm
