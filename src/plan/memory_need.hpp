#pragma once

#include "problem/matrix_product.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <cstddef>

namespace swirl::planning {

/// Memory that a plan takes besides the caller's arrays, in bytes.
struct MemoryNeed {
    Integer workspace = 0; ///< of one execution: intermediate data
    Integer packing = 0;   ///< packed operands of products on a CPU, at most
    Integer tables = 0;    ///< constants that kernels read
    Integer check = 0;     ///< arrays of the check before first use
    Integer search = 0;    ///< arrays of a search's benchmarks
    bool is_whole = true;  ///< false: a plan needs at least this, and more may be known later
};

/// Throws OutOfMemory, saying what would work, if a need exceeds Options::memory_limit_bytes (0: no limit).
void require_within(std::size_t limit, const MemoryNeed& need, const Transform& problem);
void require_within(std::size_t limit, const MemoryNeed& need, const MatrixProduct& problem);
/// The same for a plan on a CPU; without a limit, if a need exceeds what this process may have.
void require_on_host(std::size_t limit, const MemoryNeed& need, const Transform& problem);
void require_on_host(std::size_t limit, const MemoryNeed& need, const MatrixProduct& problem);

/// Bytes on the host that a plan may need under Options::memory_limit_bytes (0: no limit), where the caller has arrays, too:
/// for large arrays at most what three quarters of this process's memory leave.
Integer free_host_bytes(std::size_t limit, const Transform& problem);

/// Lower bound on the workspace bytes of any CPU plan: one copy of the longest transform, unless that is small. The
/// problem must be valid. Saturates.
Integer min_workspace(const Transform& problem);

/// Throws UserError if that exceeds this process's memory limit, before deriving anything: tables alone would fill it.
void require_memory(const Transform& problem);

/// The largest memory of any supported GPU: assumed where no GPU is present.
constexpr Integer largest_gpu_memory = Integer{288} << 30;

/// Lower bound on the device bytes of any plan for this GPU, besides the caller's arrays: a copy of the longest
/// transform if it exceeds one cluster's shared memory; for a length with a large prime factor, a convolution and its
/// tables. Saturates.
Integer min_gpu_memory(const Transform& problem, const target::Gpu& gpu);

/// Bytes of the elements of input and output, over the whole batch; gaps do not count. Saturates.
Integer array_bytes(const Transform& problem);
/// Bytes that A, B, C and the arrays of a product span.
Integer array_bytes(const MatrixProduct& problem);

/// Throws UserError, before deriving anything, if a GPU with this much memory has too little, or if the arrays plus
/// this bound would fit on no GPU. (The arrays may exceed the present GPU's memory, because managed memory is larger.)
void require_gpu_memory(const Transform& problem, const target::Gpu& gpu,
                        Integer memory = largest_gpu_memory);

} // namespace swirl::planning
