#pragma once

#include "problem/matrix_product.hpp"
#include "target/gpu.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Matrix products on GPUs as Gray's walkthrough of maxas's SGEMM has them: a block of threads has a tile of C in its registers,
/// and steps through the depth with a piece of A and one of B in shared memory. Each of its decisions is a parameter.
namespace swirl::gemm {

/// In which order a thread's multiply-adds of one step are written: line by line, which are rows or columns. What follows each other in a
/// serpentine has a factor in common, also where a line ends. A swirl goes back and forth in strips of two lines, crossing from one to the
/// other at each place, so that of each factor half are used again at once (Gray's walkthrough of maxas's SGEMM, on the reuse cache).
enum class GpuOrder : std::uint8_t {
    rows,
    columns,
    serpentine_rows,
    serpentine_columns,
    swirl_rows,
    swirl_columns
};
/// All of them.
std::span<const GpuOrder> gpu_orders();
/// Rows and columns of a thread's part of a tile in this order.
std::vector<std::pair<int, int>> places_in_order(GpuOrder order, int rows, int columns);
std::string_view name_of(GpuOrder order);

struct GpuSchedule {
    int block_rows = 128;
    int block_columns = 128;
    int block_depth = 8;
    int thread_rows = 8;
    int thread_columns = 8;
    int lane_rows = 8;
    int lane_columns = 4;
    int zigzag = 0;
    int warp_depth = 0;
    int slices = 1;
    int stages = 4;
    int a_lanes = 1;
    int b_lanes = 1;
    int c_lanes = 1;
    int a_steps = 1;
    int b_steps = 1;
    int a_bulk = 0;
    int b_bulk = 0;
    int direct = 0;
    int depth_run = 8;
    int spread = 1;
    GpuOrder order = GpuOrder::serpentine_rows;
    int group = 8;
    int splits = 1;
    int through_memory = 0;
    int interleaved = 0;
    int stream_blocks = 0;
    int whole_tiles = 0;
    int matrices = 1;
    int resident = 0;
    int machine_loop = 0;
    int warpgroups = 0;
    int cluster_rows = 1;
    int cluster_columns = 1;
    int staged_rows = 64;
    int terms = 0;
    int run = 0;
    int promotion_interval = 0;
    int rounded = 0;
    int guarded = 0;
    int a_along_depth = 0;

    bool operator==(const GpuSchedule&) const = default;

    /// Whether tensor cores multiply tiles in shared memory, which a copy engine brings (gemm/gpu_tile_product.hpp).
    bool has_tiles() const { return warpgroups > 0; }
    /// What tensor cores multiply, where numbers are not split into terms.
    bool has_terms() const { return terms > 0; }
    /// Whether they multiply float32 numbers as the copy engine rounds them.
    bool rounds() const { return rounded > 0; }
    /// Whether tensor cores' accumulators are added to sums of float32 before a tile is done.
    bool has_sums() const { return run > 0 || promotes(); }
    /// Whether the products that count most are promoted to these more often than a run of others.
    bool promotes() const { return promotion_interval > 0; }
    /// Whether threads multiply where numbers are not as terms have to be (gemm/gpu_range.hpp).
    bool is_guarded() const { return guarded > 0; }
    /// Whether few blocks go through the pieces of all tiles (gemm/gpu_stream.hpp).
    bool streams() const { return stream_blocks > 0; }
    /// Whether the copy engine brings pieces of A (operand 0), of B (1), for threads that multiply (gemm/gpu_bulk.hpp).
    bool is_bulk(std::size_t operand) const { return (operand == 0 ? a_bulk : b_bulk) > 0; }
    /// And whether it does so of lines along the depth.
    bool has_bulk_lines(std::size_t operand) const { return (operand == 0 ? a_bulk : b_bulk) == 2; }
    /// Or of lines that threads turn in shared memory.
    bool is_turned(std::size_t operand) const { return (operand == 0 ? a_bulk : b_bulk) == 3; }
    bool has_bulk() const { return is_bulk(0) || is_bulk(1); }
    /// Whether threads take their numbers straight from memory (gemm/gpu_direct.hpp).
    bool is_direct() const { return direct > 0; }
    int slice_threads() const { return block_rows / thread_rows * (block_columns / thread_columns); }
    int matrix_threads() const { return slice_threads() * slices; }
    int threads() const { return matrix_threads() * matrices; }
    /// Blocks that have some columns of each thread's when splits' sums are added up.
    int shares() const { return through_memory == 0 ? splits : std::min(splits, most_shares); }
    static constexpr int most_shares = 8;
    /// Steps from one of a split's pieces to its next one.
    int piece_distance() const { return block_depth * (interleaved != 0 ? splits : 1); }
    /// Steps along the depth that are multiplied at once.
    int step_depth() const { return warp_depth > 0 ? warp_depth : 1; }
    int lanes() const { return lane_rows * lane_columns; }
    /// Such parts of a tile, which a warp has (or less than a warp), one below the other.
    int warp_rows() const { return block_rows / (lane_rows * thread_rows); }
};

/// Steps after which accumulators of products of lesser terms are promoted: what tensor cores cut off of these is 2^−8 of what they
/// cut off of the products of first terms.
constexpr int longest_run = 1024;
/// Steps after which accumulators of products of first terms have to be promoted for errors no worse than those of sums of
/// multiply-adds, which are the smaller the less is added (docs/decisions/034-promote-leading-products-often.md); 0: depths at which
/// no interval is short enough.
int longest_promotion_interval(Integer depth);
/// How far results by a schedule may be from the exact ones.
Accuracy accuracy_of(const GpuSchedule& schedule, const MatrixProduct& product);

/// Who multiplies numbers of which kind, in words: "tensor cores multiply float32 rounded to 11 significant bits".
std::string arithmetic_of(const GpuSchedule& schedule, const MatrixProduct& product);

/// A number among a schedule's decisions.
struct GpuParameter {
    enum class Of : std::uint8_t { all, threads, tiles };
    std::string_view name;
    int GpuSchedule::*member;
    std::string_view meaning;
    Of of = Of::threads; ///< kernels that it makes a difference to
    int least = 1;       ///< of what it may be
    bool matters_to(const GpuSchedule& schedule) const {
        return of == Of::all || (of == Of::tiles) == schedule.has_tiles();
    }
};
constexpr int largest_parameter = 1024; ///< beyond this a number is no decision
/// All of them, in the order of the members.
std::span<const GpuParameter> gpu_parameters();

/// "block_rows=256 block_columns=128 …", all parameters in order, then `order=serpentine_rows`.
std::string to_string(const GpuSchedule& schedule);
/// Reads what to_string wrote, parameters that are not named being as in GpuSchedule{}; UserError, naming the word, otherwise.
GpuSchedule parse_gpu_schedule(std::string_view text);

/// The product that kernels compute: C's rows are next to each other if they can be, A and B exchanged for that. Batch strides of what
/// lists say are 0.
struct GpuOrientation {
    MatrixProduct product;
    bool is_turned = false; ///< A is the caller's B, transposed, and B the caller's A
};
GpuOrientation oriented_for_gpu(const MatrixProduct& product);

/// Elements that an access to A or B, of such numbers, or to C may have at once as far as pointers are concerned: those of lists may
/// be aligned to less than what is moved.
int widest_lanes(const MatrixProduct& product, Number number);
int widest_lanes_of_c(const MatrixProduct& product);

/// Whether copies of so many elements along a matrix's first extent are aligned, wherever its data is.
bool suits_lanes(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent, int lanes);

/// Likewise, of so many steps of each of a matrix's lines.
bool suits_steps(const MatrixLayout& layout, Integer stride, Integer line_stride, Integer depth,
                 Integer lines, int steps);

/// UserError where kernels for this GPU have no product of such numbers: sums are float32 or float64, what is in memory is the
/// same, or bfloat16 or float16 for sums of float32.
void require_numbers_for_gpu(const MatrixProduct& product, const target::Gpu& gpu);

/// Why kernels cannot be made of a schedule: its extents do not divide each other, a tile is larger than C, a block wants more than
/// the GPU has, or copies are wider than operands' strides allow. Nothing where they can.
std::optional<std::string> objection(const GpuSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu);
/// UserError that says it, or that numbers are others than kernels have.
void validate(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu);

/// Bytes of shared memory of a block.
Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& product);

} // namespace swirl::gemm
