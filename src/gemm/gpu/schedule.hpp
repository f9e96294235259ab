#pragma once

#include <swirl/options.hpp>

#include "problem/matrix_product.hpp"
#include "target/gpu.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// GEMM on GPUs as in Gray's walkthrough of maxas's SGEMM: a block holds a tile of C in registers and advances along
/// K with a k-tile of A and one of B in shared memory. Every decision is a parameter.
namespace swirl::gemm {

/// The order of a thread's multiply-adds for one k index, row by row or column by column. In a serpentine order,
/// consecutive multiply-adds share an operand even across row ends. A swirl order zigzags through strips of two rows
/// or columns, switching between the two at each element, so that half of the operands are reused at once (Gray's
/// walkthrough of maxas's SGEMM, on the reuse cache).
enum class FmaOrder : std::uint8_t {
    rows,
    columns,
    serpentine_rows,
    serpentine_columns,
    swirl_rows,
    swirl_columns
};
/// All orders.
std::span<const FmaOrder> fma_orders();
/// (row, column) pairs of a thread's tile in this order.
std::vector<std::pair<int, int>> fma_sequence(FmaOrder order, int rows, int columns);
std::string_view name_of(FmaOrder order);

struct GpuSchedule {
    int cta_m = 128;
    int cta_n = 128;
    int cta_k = 8;
    int thread_m = 8;
    int thread_n = 8;
    int warp_lanes_m = 8;
    int warp_lanes_n = 4;
    int zigzag = 0;
    int mma_k = 0;
    int sliced_k = 1;
    int stages = 4;
    int a_vector_m = 1;
    int b_vector_n = 1;
    int c_vector_m = 1;
    int a_vector_k = 1;
    int b_vector_k = 1;
    int a_load = 0;
    int b_load = 0;
    int load_from_global = 0;
    int copy_k = 8;
    int interleave_copies = 1;
    FmaOrder fma_order = FmaOrder::serpentine_rows;
    int raster_group = 8;
    int split_k = 1;
    int split_k_in_workspace = 0;
    int interleaved_split_k = 0;
    int stream_k_blocks = 0;
    int data_parallel_tiles = 0;
    int matrices = 1;
    int resident = 0;
    int reorder_sass = 0;
    int warpgroups = 0;
    int cluster_m = 1;
    int cluster_n = 1;
    int epilogue_tile_m = 64;
    int bf16_split = 0;
    int accumulation_interval = 0;
    int promotion_interval = 0;
    int tf32 = 0;
    int range_check = 0;
    int transpose_a = 0;

    bool operator==(const GpuSchedule&) const = default;

    /// Whether tensor cores multiply smem tiles that TMA loads (wgmma; gemm/gpu/wgmma/kernel.hpp).
    bool is_wgmma() const { return warpgroups > 0; }
    /// Whether tensor cores multiply split terms of float32 values.
    bool has_bf16_split() const { return bf16_split > 0; }
    /// Whether tensor cores multiply float32 values as tf32, rounded by TMA.
    bool is_tf32() const { return tf32 > 0; }
    /// Whether tensor-core accumulators are added to float32 accumulators within a tile.
    bool promotes_accumulators() const { return accumulation_interval > 0 || promotes_leading(); }
    /// Whether the leading products are promoted more often than once per accumulation interval.
    bool promotes_leading() const { return promotion_interval > 0; }
    /// Whether a SIMT fallback handles values outside of the bf16 split range (gemm/gpu/epilogue/range_check.hpp).
    bool has_range_check() const { return range_check > 0; }
    /// Whether few blocks process the k-tiles of all tiles (gemm/gpu/scheduler/stream_k.hpp).
    bool is_stream_k() const { return stream_k_blocks > 0; }
    /// Whether TMA loads k-tiles of A (operand 0) or B (1) for a SIMT kernel (gemm/gpu/wgmma/tma_loader.hpp).
    bool is_tma(std::size_t operand) const { return (operand == 0 ? a_load : b_load) > 0; }
    /// Whether TMA loads K-major lines.
    bool is_tma_k_major(std::size_t operand) const { return (operand == 0 ? a_load : b_load) == 2; }
    /// Whether TMA loads K-major lines that threads transpose in shared memory.
    bool is_transposed(std::size_t operand) const { return (operand == 0 ? a_load : b_load) == 3; }
    bool has_tma() const { return is_tma(0) || is_tma(1); }
    /// Whether threads load operands straight from global memory (gemm/gpu/simt/global_operands.hpp).
    bool loads_from_global() const { return load_from_global > 0; }
    int k_slice_threads() const { return cta_m / thread_m * (cta_n / thread_n); }
    int matrix_threads() const { return k_slice_threads() * sliced_k; }
    int threads() const { return matrix_threads() * matrices; }
    /// Blocks that share each thread's columns in the split-K reduction.
    int reducing_blocks() const {
        return split_k_in_workspace == 0 ? split_k : std::min(split_k, max_reducing_blocks);
    }
    static constexpr int max_reducing_blocks = 8;
    /// k indices from one k-tile of a split to its next.
    int k_tile_stride() const { return cta_k * (interleaved_split_k != 0 ? split_k : 1); }
    /// K of one instruction.
    int instruction_k() const { return mma_k > 0 ? mma_k : 1; }
    int lanes() const { return warp_lanes_m * warp_lanes_n; }
    /// Warp tiles (or parts of a warp's) along M.
    int warps_m() const { return cta_m / (warp_lanes_m * thread_m); }
};

/// Accumulation interval, in k indices, for products of lower-order terms: tensor cores truncate 2^−8 of what they
/// truncate in products of leading terms.
constexpr int max_accumulation_steps = 1024;
/// Longest promotion interval, in k indices, for products of leading terms whose errors are no worse than those of a
/// chain of multiply-adds: the less is accumulated, the smaller they are (decision 034). 0: no interval is short
/// enough for this K.
int max_promotion_interval(Integer depth);
/// The accuracy of a schedule's results.
Accuracy accuracy_of(const GpuSchedule& schedule, const MatrixProduct& product);

/// Description of unit and data types for messages: "tensor cores multiply float32 rounded to 11 significant bits".
std::string arithmetic_of(const GpuSchedule& schedule, const MatrixProduct& product);

/// An integer parameter of a schedule.
struct GpuParameter {
    enum class Of : std::uint8_t { all, simt, wgmma };
    std::string_view name;
    int GpuSchedule::*member;
    std::string_view meaning;
    Of of = Of::simt; ///< kernels that it affects
    int least = 1;    ///< minimum value
    bool matters_to(const GpuSchedule& schedule) const {
        return of == Of::all || (of == Of::wgmma) == schedule.is_wgmma();
    }
};
constexpr int max_parameter = 1024; ///< larger values are rejected
/// All parameters, in the order of the members.
std::span<const GpuParameter> gpu_parameters();

/// "cta_m=256 cta_n=128 …": all parameters in order, then `fma_order=serpentine_rows`.
std::string to_string(const GpuSchedule& schedule);
/// Parses what to_string wrote; omitted parameters default to GpuSchedule{}. UserError names an invalid word.
GpuSchedule parse_gpu_schedule(std::string_view text);

/// The problem that kernels compute: C's rows are contiguous if possible, A and B being swapped for that. Batch
/// strides of pointer-list batches are 0.
struct CanonicalGemm {
    MatrixProduct product;
    bool is_swapped = false; ///< A is the caller's B, transposed, and B the caller's A
};
CanonicalGemm canonical_for_gpu(const MatrixProduct& product);

/// Largest vector, in elements, with which pointers allow access to A or B (of this type), or to C: pointers in lists
/// may be less aligned than a vector.
int max_vector(const MatrixProduct& product, DataType number);
int max_vector_of_c(const MatrixProduct& product);

/// Whether vector copies along a matrix's first extent are aligned, whatever its base address.
bool allows_vector(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                   int lanes);

/// Likewise for vectors of `steps` k indices of each row or column.
bool allows_vector_k(const MatrixLayout& layout, Integer stride, Integer mn_stride, Integer depth,
                     Integer lines, int steps);

/// UserError unless GPU kernels support the data types: accumulators are float32 or float64; elements in memory have
/// the same type, or bfloat16 or float16 for float32 accumulators.
void require_gpu_data_types(const MatrixProduct& product, const target::Gpu& gpu);

/// Reason why a schedule is infeasible: extents do not divide each other, a tile exceeds C, a block exceeds the GPU's
/// resources, or copies are wider than strides allow. Nothing if it is feasible.
std::optional<std::string> infeasibility(const GpuSchedule& schedule, const MatrixProduct& product,
                                         const target::Gpu& gpu);
/// Throws a UserError with that reason, or if the data types are unsupported.
void validate(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu);

/// Bytes of shared memory per block.
Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& product);

} // namespace swirl::gemm
