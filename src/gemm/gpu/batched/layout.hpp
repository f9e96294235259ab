#pragma once

#include "gemm/gpu/schedule.hpp"

#include <array>
#include <string>

/// Layout of a kernel that multiplies whole small matrices of a batch. The matrices of a block are one contiguous range
/// of global memory, and lie in shared memory as they lie there.
namespace swirl::gemm {

/// The matrices of A, B or C that a block has. Chunks of 16 bytes move them; a range that does not begin at a chunk is
/// shifted by as many elements in shared memory.
struct MatrixRange {
    Integer elements = 0;                ///< of one matrix
    Integer all = 0;                     ///< of a block's matrices
    Integer mn_stride = 0, k_stride = 0; ///< along M (of B along N) and K; of C along M and N
    int chunk = 1;                       ///< elements
    int vector = 1;                      ///< elements of a thread's access to shared memory
    bool is_along_k = false;             ///< vectors run along K
    bool is_shifted = false;             ///< some blocks' ranges do not begin at a chunk

    Integer capacity() const {
        return ceil_divide(all + (is_shifted ? chunk - 1 : 0), Integer{chunk}) * chunk;
    }
};

/// A canonical problem with a schedule, and the layout that follows from both. Refers to both, which outlive it.
///
/// A thread has groups of `vector` adjacent rows (columns); those of adjacent threads are adjacent, and a thread's
/// groups are as many groups apart as there are threads along M (N).
struct CanonicalBatchedGemm {
    CanonicalBatchedGemm(const CanonicalGemm& canonical, const BatchedGemm& schedule);
    CanonicalBatchedGemm(CanonicalGemm&&, const BatchedGemm&) = delete;

    const CanonicalGemm& canonical;
    const BatchedGemm& schedule;
    MatrixRange a, b, c;
    Extents vectors; ///< adjacent rows and columns of a thread
    Extents lanes;   ///< threads of a matrix along M and N

    const MatrixProduct& product() const { return canonical.product; }
    int matrix_threads() const { return lanes.m * lanes.n; }
    int threads() const; ///< of a block, in whole warps
    Integer blocks() const { return ceil_divide(product().batch, Integer{schedule.matrices}); }
    Integer matrices_of_last_block() const { return product().batch - (blocks() - 1) * schedule.matrices; }
};

/// Bytes of shared memory.
Integer batched_shared_bytes(const CanonicalBatchedGemm& gemm);
/// Estimated registers per thread.
int batched_registers(const CanonicalBatchedGemm& gemm);
/// The first reason why such a schedule is infeasible; empty if it is feasible.
std::string batched_infeasibility(const CanonicalBatchedGemm& gemm, const target::Gpu& gpu);

} // namespace swirl::gemm
