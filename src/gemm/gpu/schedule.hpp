#pragma once

#include <swirl/options.hpp>

#include "problem/matrix_product.hpp"
#include "target/gpu.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// GEMM on GPUs: how a kernel computes C. A schedule is one of three kernels, SimtGemm, WgmmaGemm or BatchedGemm; its text form
/// is in gemm/gpu/schedule_text.hpp.
namespace swirl::gemm {

/// The tile of C that a block computes, and the k indices of a k-tile.
struct CtaTile {
    int m = 0;
    int n = 0;
    int k = 0;
    bool operator==(const CtaTile&) const = default;
};

/// Extents along M and N.
struct Extents {
    int m = 1;
    int n = 1;
    bool operator==(const Extents&) const = default;
};

/// Largest value of a schedule's parameter.
constexpr int max_parameter = 1024;

// ---- SIMT and mma.sync kernels

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

/// How k-tiles of an operand reach the threads.
enum class OperandLoad : std::uint8_t {
    cp_async,      ///< threads copy them to shared memory
    tma,           ///< TMA loads boxes whose rows run along M or N (gemm/gpu/simt/tma_loader.hpp)
    tma_k_major,   ///< TMA loads boxes whose rows run along K; they stay so in shared memory
    tma_transpose, ///< TMA loads boxes whose rows run along K; threads transpose them in shared memory
    global ///< threads load all of K from global memory to registers (gemm/gpu/simt/global_operands.hpp)
};

/// The loads of A or B.
struct SimtOperand {
    OperandLoad load = OperandLoad::cp_async;
    int vector_mn = 1; ///< elements that one copy moves along M (of A) or N (of B)
    int vector_k = 1;  ///< elements that one copy moves along K; if more than 1, shared memory is K-major
    bool operator==(const SimtOperand&) const = default;

    bool is_tma() const { return load != OperandLoad::cp_async && load != OperandLoad::global; }
};

/// Threads multiply with multiply-add instructions.
struct Fma {
    Extents warp_lanes{.m = 8, .n = 4}; ///< threads of a warp along M and N
    bool zigzag =
        false; ///< adjacent threads alternate between two columns, so that a warp's loads share operands
    FmaOrder order = FmaOrder::serpentine_rows;
    bool reorder_sass = false; ///< the compiled main loop is reordered in SASS where that is proved possible
    bool operator==(const Fma&) const = default;
};

/// Warps multiply with mma.sync on tensor cores.
struct MmaSync {
    int k = 0; ///< of one instruction
    bool operator==(const MmaSync&) const = default;
};

/// One block per tile of C.
struct DataParallel {
    int matrices = 1; ///< of a batch that a block computes, each with threads of its own
    bool operator==(const DataParallel&) const = default;
};

/// Several blocks share K of a tile and reduce their accumulators.
struct SplitK {
    int splits = 2;
    bool in_workspace =
        false; ///< accumulators are reduced in global memory, else in a cluster's shared memory
    bool interleaved = false; ///< splits interleave their k-tiles, else each has a contiguous range
    bool operator==(const SplitK&) const = default;
};

/// Few blocks share the k-tiles of all tiles (gemm/gpu/scheduler/stream_k.hpp).
struct StreamK {
    int blocks = 0;
    int data_parallel_tiles = 0; ///< that each block computes alone, before its share of the rest
    bool operator==(const StreamK&) const = default;
};

/// A block's threads hold a tile of C in registers and advance along K with k-tiles of A and B in shared memory, as in
/// Gray's walkthrough of maxas's SGEMM.
struct SimtGemm {
    CtaTile cta_tile{.m = 128, .n = 128, .k = 8};
    Extents thread_tile{.m = 8, .n = 8};
    std::variant<Fma, MmaSync> math = Fma{};
    std::variant<DataParallel, SplitK, StreamK> decomposition = DataParallel{};
    int sliced_k = 1; ///< groups of a block's threads that share a k-tile's K and reduce their accumulators
    int stages = 4;   ///< k-tiles in shared memory
    SimtOperand a = {};
    SimtOperand b = {};
    int c_vector_m = 1; ///< elements of C that one access moves along M
    int copy_k = 8;     ///< k indices of a row or column that adjacent threads copy, if these are contiguous
    bool interleave_copies = true; ///< copies are spread over a k-tile's k indices, else all at its first
    int raster_group = 8;          ///< tiles along M that come before the next along N
    int resident = 0; ///< blocks per multiprocessor, which bounds registers; 0: left to the compiler

    bool operator==(const SimtGemm&) const = default;

    const SimtOperand& operand(std::size_t which) const { return which == 0 ? a : b; }
    /// Whether TMA loads k-tiles of A (operand 0) or B (1).
    bool is_tma(std::size_t which) const { return operand(which).is_tma(); }
    bool is_tma_k_major(std::size_t which) const { return operand(which).load == OperandLoad::tma_k_major; }
    bool is_transposed(std::size_t which) const { return operand(which).load == OperandLoad::tma_transpose; }
    bool has_tma() const { return is_tma(0) || is_tma(1); }
    bool loads_from_global() const { return a.load == OperandLoad::global || b.load == OperandLoad::global; }

    bool is_mma() const { return std::holds_alternative<MmaSync>(math); }
    int mma_k() const { return is_mma() ? std::get<MmaSync>(math).k : 0; }
    /// K of one instruction.
    int instruction_k() const { return is_mma() ? mma_k() : 1; }
    /// Fragments of mma.sync assume 8 × 4 lanes.
    Extents warp_lanes() const { return is_mma() ? Extents{.m = 8, .n = 4} : std::get<Fma>(math).warp_lanes; }
    bool zigzag() const { return !is_mma() && std::get<Fma>(math).zigzag; }
    bool reorders_sass() const { return !is_mma() && std::get<Fma>(math).reorder_sass; }

    const SplitK* split_k() const { return std::get_if<SplitK>(&decomposition); }
    const StreamK* stream_k() const { return std::get_if<StreamK>(&decomposition); }
    int splits() const { return split_k() != nullptr ? split_k()->splits : 1; }
    bool splits_in_workspace() const { return split_k() != nullptr && split_k()->in_workspace; }
    bool interleaves_splits() const { return split_k() != nullptr && split_k()->interleaved; }
    /// Matrices of a batch per block.
    int matrices() const {
        const auto* one_tile = std::get_if<DataParallel>(&decomposition);
        return one_tile != nullptr ? one_tile->matrices : 1;
    }

    int k_slice_threads() const { return cta_tile.m / thread_tile.m * (cta_tile.n / thread_tile.n); }
    int matrix_threads() const { return k_slice_threads() * sliced_k; }
    int threads() const { return matrix_threads() * matrices(); }
    /// Blocks that share each thread's columns in the split-K reduction.
    int reducing_blocks() const {
        return splits_in_workspace() ? std::min(splits(), max_reducing_blocks) : splits();
    }
    static constexpr int max_reducing_blocks = 8;
    /// k indices from one k-tile of a split to its next.
    int k_tile_stride() const { return cta_tile.k * (interleaves_splits() ? splits() : 1); }
    int lanes() const { return warp_lanes().m * warp_lanes().n; }
    /// Warp tiles (or fractions of one) along M.
    int warps_m() const { return cta_tile.m / (warp_lanes().m * thread_tile.m); }
};

// ---- wgmma kernels

/// Tensor cores multiply operands of the data type that they have in memory.
struct StoredOperands {
    bool operator==(const StoredOperands&) const = default;
};

/// Tensor cores multiply float32 values that TMA rounds to tf32.
struct Tf32 {
    bool transpose_a = false; ///< a kernel before this one makes A K-major, else threads load it to registers
    bool operator==(const Tf32&) const = default;
};

/// Tensor cores multiply bfloat16 terms whose sums are the float32 values; kernels before this one compute them.
struct Bf16Terms {
    int count = 3;            ///< of each value
    bool range_check = false; ///< a SIMT fallback handles values outside the split's range
    bool operator==(const Bf16Terms&) const = default;
};

/// Tensor cores multiply k-tiles that TMA loads (gemm/gpu/wgmma/kernel.hpp).
struct WgmmaGemm {
    CtaTile cta_tile{.m = 128, .n = 128, .k = 64};
    Extents cluster = {}; ///< blocks along M that share loads of B, and along N that share loads of A
    int split_k = 1;      ///< blocks of a cluster that share K of a tile (gemm/gpu/wgmma/split_k.hpp)
    int warpgroups = 2;   ///< that multiply, each with a share of the tile
    int stages = 4;       ///< k-tiles in shared memory
    std::variant<StoredOperands, Tf32, Bf16Terms> operands = StoredOperands{};
    /// k-tiles after which tensor-core accumulators, which truncate, are added to float32 accumulators, which round;
    /// 0: never.
    int accumulation_interval = 0;
    /// The same for products of leading terms, in k indices; 0: with the others.
    int promotion_interval = 0;
    int epilogue_tile_m = 64; ///< rows of C in shared memory at once; 0: threads store C from registers
    int raster_group = 8;     ///< tiles along M that come before the next along N

    bool operator==(const WgmmaGemm&) const = default;

    const Bf16Terms* bf16_split() const { return std::get_if<Bf16Terms>(&operands); }
    bool has_bf16_split() const { return bf16_split() != nullptr; }
    /// Terms of each value; 0 without a split.
    int bf16_terms() const { return has_bf16_split() ? bf16_split()->count : 0; }
    /// Whether a SIMT fallback handles values outside the split's range (gemm/gpu/epilogue/range_check.hpp).
    bool has_range_check() const { return has_bf16_split() && bf16_split()->range_check; }
    bool is_tf32() const { return std::holds_alternative<Tf32>(operands); }
    bool may_transpose_a() const { return is_tf32() && std::get<Tf32>(operands).transpose_a; }
    /// Whether tensor-core accumulators are added to float32 accumulators within a tile.
    bool promotes_accumulators() const { return accumulation_interval > 0 || promotes_leading(); }
    /// Whether the leading products are promoted more often than once per accumulation interval.
    bool promotes_leading() const { return promotion_interval > 0; }
};

// ---- kernels of small matrices

/// A block multiplies whole matrices of a batch, whose A and B lie in shared memory as they lie in global memory
/// (gemm/gpu/batched/kernel.hpp).
struct BatchedGemm {
    Extents thread_tile{.m = 4, .n = 4};
    int matrices = 4; ///< per block, each with threads of its own
    int resident = 0; ///< blocks per multiprocessor, which bounds registers; 0: left to the compiler

    bool operator==(const BatchedGemm&) const = default;
};

using GpuGemmSchedule = std::variant<SimtGemm, WgmmaGemm, BatchedGemm>;

inline bool is_wgmma(const GpuGemmSchedule& schedule) { return std::holds_alternative<WgmmaGemm>(schedule); }
inline bool is_batched(const GpuGemmSchedule& schedule) {
    return std::holds_alternative<BatchedGemm>(schedule);
}
/// Whether the compiled main loop is reordered in SASS.
inline bool reorders_sass(const GpuGemmSchedule& schedule) {
    const auto* simt = std::get_if<SimtGemm>(&schedule);
    return simt != nullptr && simt->reorders_sass();
}

/// Accumulation interval, in k indices, for products of lower-order terms: tensor cores truncate 2^−8 of what they
/// truncate in products of leading terms.
constexpr int max_accumulation_k = 1024;
/// Longest promotion interval, in k indices, for products of leading terms whose errors are no worse than those of a
/// chain of multiply-adds: the less is accumulated, the smaller they are (decision 034). 0: no interval is short
/// enough for this K.
int max_promotion_interval(Integer k);
/// The accuracy of a schedule's results.
Accuracy accuracy_of(const GpuGemmSchedule& schedule, const MatrixProduct& product);

/// Description of unit and data types for messages: "tensor cores multiply float32 rounded to 11 significant bits".
std::string arithmetic_of(const GpuGemmSchedule& schedule, const MatrixProduct& product);

/// The problem that kernels compute: C's rows are contiguous if possible, A and B being swapped for that. Batch
/// strides of pointer-list batches are 0. Made once for a problem; with a schedule, CanonicalSimtGemm
/// (gemm/gpu/simt/layout.hpp) and CanonicalWgmmaGemm (gemm/gpu/wgmma/layout.hpp) add the layout of its k-tiles.
struct CanonicalGemm {
    MatrixProduct product;
    bool is_swapped = false; ///< A is the caller's B, transposed, and B the caller's A
};
CanonicalGemm canonical_for_gpu(const MatrixProduct& product);

/// Largest vector, in elements, with which pointers allow access to A or B (of this type), or to C: pointers in lists
/// may be less aligned than a vector.
int max_vector(const MatrixProduct& product, DataType data_type);
int max_vector_of_c(const MatrixProduct& product);

/// Whether vector copies along a matrix's first extent are aligned, for any base address.
bool allows_vector(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                   int lanes);

/// Likewise for vectors of `vector_k` k indices of each row or column.
bool allows_vector_k(const MatrixLayout& layout, Integer stride, Integer mn_stride, Integer k, Integer extent,
                     int vector_k);

/// UserError unless GPU kernels support the data types: accumulators are float32 or float64; elements in memory have
/// the same type, or bfloat16 or float16 for float32 accumulators.
void require_gpu_data_types(const MatrixProduct& product, const target::Gpu& gpu);

/// Reason why a schedule is infeasible: extents do not divide each other, a tile exceeds C, a block exceeds the GPU's
/// resources, or copies are wider than strides allow. Nothing if it is feasible.
std::optional<std::string> infeasibility(const GpuGemmSchedule& schedule, const CanonicalGemm& canonical,
                                         const target::Gpu& gpu);
std::optional<std::string> infeasibility(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                                         const target::Gpu& gpu);
/// Throws a UserError with that reason, or if the data types are unsupported.
void validate(const GpuGemmSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu);

/// Bytes of shared memory per block.
Integer shared_bytes(const GpuGemmSchedule& schedule, const MatrixProduct& product);

} // namespace swirl::gemm
