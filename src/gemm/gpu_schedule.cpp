#include "gemm/gpu_schedule.hpp"

#include "base/error.hpp"
#include "gemm/gpu_block_reductions.hpp"
#include "gemm/gpu_bulk.hpp"
#include "gemm/gpu_direct.hpp"
#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_slice_sums.hpp"
#include "gemm/gpu_stream.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_product.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace swirl::gemm {

namespace {

/// The first reason why a schedule does not suit.
class Objection {
public:
    template <class... Arguments>
    void require(bool holds, fmt::format_string<Arguments...> why, Arguments&&... arguments) {
        if (!holds && !reason) reason = fmt::format(why, std::forward<Arguments>(arguments)...);
    }
    std::optional<std::string> reason;
};

constexpr int capability_of_bfloat16 = 8;

bool is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

/// Before anything is divided by them.
void require_least(Objection& objection, const GpuSchedule& schedule) {
    for (const GpuParameter& parameter : gpu_parameters())
        objection.require(schedule.*parameter.member >= parameter.least, "{} is {}", parameter.name,
                          schedule.*parameter.member);
}

void require_threads(Objection& objection, const GpuSchedule& schedule, const target::Gpu& gpu) {
    objection.require(is_power_of_two(schedule.lane_rows) && is_power_of_two(schedule.lane_columns) &&
                          schedule.lanes() <= gpu.warp_size,
                      "{} by {} lanes; powers of two, {} in all at most, are possible", schedule.lane_rows,
                      schedule.lane_columns, gpu.warp_size);
    objection.require(schedule.lanes() == gpu.warp_size || schedule.slice_threads() == schedule.lanes(),
                      "{} by {} lanes, but a slice of {} threads", schedule.lane_rows, schedule.lane_columns,
                      schedule.slice_threads());
    objection.require(schedule.block_rows % (schedule.lane_rows * schedule.thread_rows) == 0,
                      "{} rows of a block are no multiple of {} lanes of {} rows", schedule.block_rows,
                      schedule.lane_rows, schedule.thread_rows);
    objection.require(schedule.block_columns % (schedule.lane_columns * schedule.thread_columns) == 0,
                      "{} columns of a block are no multiple of {} lanes of {} columns",
                      schedule.block_columns, schedule.lane_columns, schedule.thread_columns);
    objection.require(schedule.threads() <= gpu.threads_per_block, "{} threads; a block has {} at most",
                      schedule.threads(), gpu.threads_per_block);
    objection.require(schedule.block_depth % (schedule.slices * schedule.step_depth()) == 0 &&
                          schedule.block_depth / (schedule.slices * schedule.step_depth()) >= 2,
                      "block_depth is {}, which {} slices do not share by two steps or more of {}",
                      schedule.block_depth, schedule.slices, schedule.step_depth());
    objection.require(schedule.stages >= 2 && schedule.stages <= 32, "stages is {}; 2 … 32 are possible",
                      schedule.stages);
    objection.require(schedule.machine_loop == 0 || schedule.machine_loop == 1,
                      "machine_loop is {}; 0 and 1 are possible", schedule.machine_loop);
}

/// Which steps of the depth warps multiply at once; in words.
std::string warp_depths(const MatrixProduct& product, const target::Gpu& gpu, std::vector<int>& possible) {
    const Number factor = product.number_of_a();
    if (product.number == Number::float64) {
        if (gpu.tensor.float64) possible = {4};
        if (gpu.tensor.float64 && gpu.capability_major >= 9) possible = {4, 8, 16};
        return "4 is possible from compute capability 8.0 on, 8 and 16 from 9.0 on";
    }
    const bool is_known = (factor == Number::bfloat16 && gpu.tensor.bfloat16) ||
                          (factor == Number::float16 && gpu.tensor.float16);
    if (is_known && product.number_of_b() == factor && gpu.capability_major >= capability_of_bfloat16)
        possible = {16};
    return "float64, and from compute capability 8.0 on bfloat16 and float16 with 16, are possible";
}

/// Fragments of the instructions are those of 8 × 4 lanes.
void require_warps(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product,
                   const target::Gpu& gpu) {
    const int depth = schedule.warp_depth;
    if (depth == 0) return;
    std::vector<int> possible;
    const std::string words = warp_depths(product, gpu, possible);
    objection.require(std::find(possible.begin(), possible.end(), depth) != possible.end(),
                      "warp_depth is {}, and numbers are {}; {}", depth, word_of(product.number_of_a()),
                      words);
    objection.require(schedule.lane_rows == 8 && schedule.lane_columns == 4 && schedule.zigzag == 0,
                      "warp_depth is {}, which 8 by 4 lanes without zigzag can have", depth);
    objection.require(schedule.thread_rows % 2 == 0 && schedule.thread_columns % 2 == 0,
                      "warp_depth is {}, and a thread has {} by {} elements; even numbers are possible",
                      depth, schedule.thread_rows, schedule.thread_columns);
}

/// Threads of a matrix are told by digits of the block's.
void require_matrices(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product) {
    if (schedule.matrices == 1) return;
    objection.require(schedule.splits == 1, "{} matrices in a block, of which {} share the depth",
                      schedule.matrices, schedule.splits);
    for (const GpuPiece& piece : pieces_of(schedule, product)) {
        const Integer inner = piece.is_by_lines() ? piece.depth / piece.steps
                              : piece.along_depth ? piece.depth_run
                                                  : piece.extent / piece.lanes;
        objection.require(inner >= schedule.matrix_threads() || schedule.matrix_threads() % inner == 0,
                          "{} threads of a matrix, which copy {} elements at once", schedule.matrix_threads(),
                          inner);
    }
}

void require_splits(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product,
                    const target::Gpu& gpu) {
    objection.require(schedule.interleaved == 0 || (schedule.interleaved == 1 && schedule.splits > 1),
                      "interleaved is {}, and splits {}; 0, and 1 of several splits, are possible",
                      schedule.interleaved, schedule.splits);
    if (schedule.splits == 1) return;
    const bool is_cluster = schedule.through_memory == 0;
    objection.require(
        is_power_of_two(schedule.splits) && (!is_cluster || schedule.splits <= gpu.largest_cluster),
        "splits is {}; a cluster of this GPU has 1, 2, 4, … {} blocks", schedule.splits, gpu.largest_cluster);
    const int vector = GpuThreads::column_vector_of(schedule, product.number);
    const int vector_shares = std::gcd(schedule.shares(), schedule.thread_columns / vector);
    objection.require(vector % (schedule.shares() / vector_shares) == 0,
                      "{} splits do not share {} columns of a thread, which are in vectors of {}",
                      schedule.splits, schedule.thread_columns, vector);
    const Integer depth = schedule.block_depth;
    const Integer pieces = ceil_divide(ceil_divide(product.depth, depth), Integer{schedule.splits});
    const Integer missing = pieces * schedule.splits * depth - product.depth;
    objection.require(
        schedule.interleaved != 0 || missing <= std::min<Integer>(schedule.stages - 1, pieces) * depth,
        "{} splits do not share a depth of {} in pieces of {}", schedule.splits, product.depth, depth);
}

void require_stream(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product) {
    objection.require(schedule.streams() || schedule.whole_tiles == 0,
                      "whole_tiles is {}, which blocks of a stream have, and stream_blocks is 0",
                      schedule.whole_tiles);
    if (!schedule.streams()) return;
    objection.require(schedule.splits == 1 && schedule.matrices == 1,
                      "stream_blocks is {}, splits {} and matrices {}; a stream has one of each",
                      schedule.stream_blocks, schedule.splits, schedule.matrices);
    objection.require(product.reductions.empty(),
                      "stream_blocks is {}, and there are reductions, which are of whole tiles",
                      schedule.stream_blocks);
    objection.require(schedule.slice_threads() > 1, "stream_blocks is {}, and there is one thread to a tile",
                      schedule.stream_blocks);
    const GpuStream stream = stream_of(schedule, product);
    objection.require(stream.shared_tiles() > 0,
                      "{} whole tiles of each of {} blocks leave nothing to share of {} tiles",
                      schedule.whole_tiles, schedule.stream_blocks, stream.tiles());
    objection.require(stream.shared_tiles() * stream.pieces >= stream.blocks,
                      "{} blocks share {} pieces of {} tiles; each needs one", stream.blocks,
                      stream.shared_tiles() * stream.pieces, stream.shared_tiles());
}

/// A program of one block of one thread would be taken for one of a CPU.
void require_company(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product) {
    const bool has_one_block = schedule.block_rows == product.rows &&
                               schedule.block_columns == product.columns &&
                               product.batch <= schedule.matrices && schedule.splits == 1;
    objection.require(schedule.threads() > 1 || !has_one_block,
                      "there is one thread for all; with slices=2 there are two");
}

void require_operands(Objection& objection, const GpuSchedule& schedule, const MatrixProduct& product) {
    const auto check = [&](const char* name, int widest, int lanes, int rows, bool suits) {
        objection.require(is_power_of_two(lanes) && lanes <= widest && rows % lanes == 0,
                          "{} is {}; 1 … {} are possible where they divide {}", name, lanes, widest, rows);
        objection.require(suits, "{} is {}, but the operand's elements are not so aligned", name, lanes);
    };
    const auto check_steps = [&](const char* name, Number number, int steps, int lanes, bool suits) {
        const int slice_depth = schedule.block_depth / schedule.slices;
        check(name, widest_lanes(product, number), steps, slice_depth, suits);
        objection.require(steps == 1 || lanes == 1,
                          "{} is {}, and a copy moves {} elements along the other extent", name, steps,
                          lanes);
    };
    check("a_lanes", widest_lanes(product, product.number_of_a()), schedule.a_lanes, schedule.block_rows,
          suits_lanes(product.a, product.a.row_stride, product.a.column_stride, product.rows,
                      schedule.a_lanes));
    check("b_lanes", widest_lanes(product, product.number_of_b()), schedule.b_lanes, schedule.block_columns,
          suits_lanes(product.b, product.b.column_stride, product.b.row_stride, product.columns,
                      schedule.b_lanes));
    check_steps(
        "a_steps", product.number_of_a(), schedule.a_steps, schedule.a_lanes,
        schedule.has_bulk_lines(0) || suits_steps(product.a, product.a.column_stride, product.a.row_stride,
                                                  product.depth, product.rows, schedule.a_steps));
    check_steps(
        "b_steps", product.number_of_b(), schedule.b_steps, schedule.b_lanes,
        schedule.has_bulk_lines(1) || suits_steps(product.b, product.b.row_stride, product.b.column_stride,
                                                  product.depth, product.columns, schedule.b_steps));
    objection.require(schedule.c_lanes == 1 || !GpuThreads::loads_lines(schedule, 0),
                      "c_lanes is {}, and a thread loads rows by themselves, of {} steps; 1 is possible",
                      schedule.c_lanes, schedule.a_steps);
    check("c_lanes", widest_lanes_of_c(product), schedule.c_lanes, schedule.thread_rows,
          suits_lanes(product.c, product.c.row_stride, product.c.column_stride, product.rows,
                      schedule.c_lanes));
}

} // namespace

int widest_lanes(const MatrixProduct& product, Number number) {
    const auto bytes = static_cast<int>(bytes_of(number));
    const int widest = GpuThreads::widest_access / bytes;
    return product.listed ? std::clamp(product.list_alignment / bytes, 1, widest) : widest;
}

int widest_lanes_of_c(const MatrixProduct& product) {
    const int of_sums = GpuThreads::widest_access / static_cast<int>(bytes_of(product.number));
    return std::min(of_sums, widest_lanes(product, product.number_of_c()));
}

bool suits_lanes(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                 int lanes) {
    return lanes == 1 || (stride == 1 && other_stride % lanes == 0 && layout.batch_stride % lanes == 0 &&
                          extent % lanes == 0);
}

bool suits_steps(const MatrixLayout& layout, Integer stride, Integer line_stride, Integer depth,
                 Integer lines, int steps) {
    return suits_lanes(layout, stride, lines == 1 ? 0 : line_stride, depth, steps);
}

int longest_promotion_interval(Integer depth) {
    constexpr Integer least_depth = 64, of_two_instructions = 192;
    if (depth < least_depth) return 0;
    return depth < of_two_instructions ? 16 : 32;
}

Accuracy accuracy_of(const GpuSchedule& schedule, const MatrixProduct& product) {
    if (product.number_of_a() != Number::float32 || !schedule.has_tiles()) return Accuracy::ordinary;
    if (schedule.rounds()) return Accuracy::eleven_bits;
    const bool is_promoted = schedule.run > 0 && schedule.run * schedule.block_depth <= longest_run &&
                             schedule.promotes() &&
                             schedule.promotion_interval <= longest_promotion_interval(product.depth);
    if (schedule.terms == 3 && is_promoted)
        return schedule.is_guarded() ? Accuracy::ordinary : Accuracy::ordinary_in_range;
    return schedule.terms >= 2 ? Accuracy::reduced : Accuracy::low;
}

GpuOrientation oriented_for_gpu(const MatrixProduct& product) {
    MatrixProduct turned = product;
    if (product.listed) turned.a.batch_stride = turned.b.batch_stride = turned.c.batch_stride = 0;
    if (product.c.row_stride == 1 || product.c.column_stride != 1) return {turned, false};
    std::swap(turned.rows, turned.columns);
    std::swap(turned.a_number, turned.b_number);
    const auto transposed = [](MatrixLayout layout) {
        std::swap(layout.row_stride, layout.column_stride);
        return layout;
    };
    std::swap(turned.a, turned.b);
    turned.a = transposed(turned.a);
    turned.b = transposed(turned.b);
    turned.c = transposed(turned.c);
    return {turned, true};
}

void require_numbers_for_gpu(const MatrixProduct& product, const target::Gpu& gpu) {
    const std::array<Number, 3> stored = {product.number_of_a(), product.number_of_b(),
                                          product.number_of_c()};
    const auto is_known = [&](Number number) {
        return number == product.number || (product.number == Number::float32 && number != Number::float64);
    };
    if (product.number == Number::int32 || !std::all_of(stored.begin(), stored.end(), is_known))
        throw UserError(
            "a product of {} and {} to {} with sums of {} on a GPU; float32, float64 and complex numbers of "
            "both are possible, and with sums of float32 bfloat16, float16, float8_e4m3, bytes and "
            "normalised "
            "numbers",
            word_of(stored[0]), word_of(stored[1]), word_of(stored[2]), word_of(product.number));
    if (is_complex(product.number) && product.epilogue.tree() != nullptr)
        throw UserError("an epilogue of {} on a GPU; products of float32 and float64 have such",
                        word_of(product.number));
    if (gpu.capability_major < capability_of_bfloat16 &&
        std::find(stored.begin(), stored.end(), Number::bfloat16) != stored.end())
        throw UserError(
            "{} has no instructions for bfloat16\n  use float16 or float32, or a GPU from sm_80 on",
            gpu.name);
    if (!gpu.tensor.float8 && std::find(stored.begin(), stored.end(), Number::float8_e4m3) != stored.end())
        throw UserError(
            "{} has no instructions for float8_e4m3\n  use float16 or float32, or a GPU from sm_90 on",
            gpu.name);
}

std::optional<std::string> objection(const GpuSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    Objection objection;
    require_least(objection, schedule);
    if (objection.reason) return objection.reason;
    if (schedule.has_tiles()) {
        if (std::string why = objection_to_tiles(schedule, oriented, gpu); !why.empty()) return why;
        return std::nullopt;
    }
    require_threads(objection, schedule, gpu);
    require_warps(objection, schedule, oriented, gpu);
    if (objection.reason) return objection.reason;
    objection.require(schedule.block_rows <= oriented.rows && schedule.block_columns <= oriented.columns,
                      "a tile of {} × {}, but C is {} × {}, as its columns are stored", schedule.block_rows,
                      schedule.block_columns, oriented.rows, oriented.columns);
    require_operands(objection, schedule, oriented);
    if (objection.reason) return objection.reason;
    if (std::string why = objection_to_direct(schedule, oriented); !why.empty()) return why;
    if (std::string why = objection_to_bulk(schedule, oriented, gpu); !why.empty()) return why;
    require_splits(objection, schedule, oriented, gpu);
    require_matrices(objection, schedule, oriented);
    require_stream(objection, schedule, oriented);
    require_company(objection, schedule, oriented);
    objection.require(shared_bytes(schedule, product) <= gpu.shared_bytes_per_block_at_most,
                      "{} bytes of shared memory; a block has {} at most", shared_bytes(schedule, product),
                      gpu.shared_bytes_per_block_at_most);
    return objection.reason;
}

void validate(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu) {
    if (!schedule.has_tiles()) require_numbers_for_gpu(product, gpu);
    if (const auto reason = objection(schedule, product, gpu))
        throw UserError("this schedule does not suit: {}\n  schedule: {}", *reason, to_string(schedule));
}

Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& product) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    if (schedule.has_tiles()) return tile_shared_bytes(schedule, oriented);
    Integer bytes = 0;
    if (!schedule.is_direct())
        for (const GpuPiece& piece : pieces_of(schedule, oriented))
            bytes += GpuBulk::bytes_of_pieces(schedule, piece);
    bytes += GpuBulk::bytes_beside_pieces(schedule);
    const Integer sums = Integer{schedule.block_rows} * schedule.block_columns * bytes_of(product.number);
    if (schedule.splits > 1 && schedule.through_memory == 0) bytes += sums;
    return schedule.matrices * bytes + GpuSliceSums::bytes_beside_pieces(schedule, oriented) +
           GpuBlockReductions::shared_bytes(schedule, oriented);
}

} // namespace swirl::gemm
