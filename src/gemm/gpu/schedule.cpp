#include "gemm/gpu/schedule.hpp"

#include "base/error.hpp"
#include "gemm/cpu/tile.hpp"
#include "gemm/gpu/epilogue/block_reductions.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/global_operands.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/gpu/simt/sliced_k.hpp"
#include "gemm/gpu/wgmma/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/tma_loader.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace swirl::gemm {

namespace {

/// The first reason why a schedule is infeasible.
class Infeasibility {
public:
    template <class... Arguments>
    void require(bool holds, fmt::format_string<Arguments...> why, Arguments&&... arguments) {
        if (!holds && !reason) reason = fmt::format(why, std::forward<Arguments>(arguments)...);
    }
    std::optional<std::string> reason;
};

constexpr int capability_of_bfloat16 = 8;

bool is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

/// Must precede any division by them.
void require_least(Infeasibility& infeasibility, const GpuSchedule& schedule) {
    for (const GpuParameter& parameter : gpu_parameters())
        infeasibility.require(schedule.*parameter.member >= parameter.least, "{} is {}", parameter.name,
                              schedule.*parameter.member);
}

void require_threads(Infeasibility& infeasibility, const GpuSchedule& schedule, const target::Gpu& gpu) {
    infeasibility.require(is_power_of_two(schedule.warp_lanes_m) && is_power_of_two(schedule.warp_lanes_n) &&
                              schedule.lanes() <= gpu.warp_size,
                          "{} by {} lanes; powers of two, {} in all at most, are possible",
                          schedule.warp_lanes_m, schedule.warp_lanes_n, gpu.warp_size);
    infeasibility.require(schedule.lanes() == gpu.warp_size || schedule.k_slice_threads() == schedule.lanes(),
                          "{} by {} lanes, but a slice of {} threads", schedule.warp_lanes_m,
                          schedule.warp_lanes_n, schedule.k_slice_threads());
    infeasibility.require(schedule.cta_m % (schedule.warp_lanes_m * schedule.thread_m) == 0,
                          "{} rows of a block are no multiple of {} lanes of {} rows", schedule.cta_m,
                          schedule.warp_lanes_m, schedule.thread_m);
    infeasibility.require(schedule.cta_n % (schedule.warp_lanes_n * schedule.thread_n) == 0,
                          "{} columns of a block are no multiple of {} lanes of {} columns", schedule.cta_n,
                          schedule.warp_lanes_n, schedule.thread_n);
    infeasibility.require(schedule.threads() <= gpu.threads_per_block, "{} threads; a block has {} at most",
                          schedule.threads(), gpu.threads_per_block);
    infeasibility.require(schedule.cta_k % (schedule.sliced_k * schedule.instruction_k()) == 0 &&
                              schedule.cta_k / (schedule.sliced_k * schedule.instruction_k()) >= 2,
                          "cta_k is {}, which {} slices do not share by two steps or more of {}",
                          schedule.cta_k, schedule.sliced_k, schedule.instruction_k());
    infeasibility.require(schedule.stages >= 2 && schedule.stages <= 32, "stages is {}; 2 … 32 are possible",
                          schedule.stages);
    infeasibility.require(schedule.reorder_sass == 0 || schedule.reorder_sass == 1,
                          "reorder_sass is {}; 0 and 1 are possible", schedule.reorder_sass);
}

/// K extents of mma.sync that are possible; returned in words.
std::string warp_depths(const MatrixProduct& product, const target::Gpu& gpu, std::vector<int>& possible) {
    const DataType factor = product.type_of_a();
    if (product.data_type == DataType::float64) {
        if (gpu.tensor.float64) possible = {4};
        if (gpu.tensor.float64 && gpu.capability_major >= 9) possible = {4, 8, 16};
        return "4 is possible from compute capability 8.0 on, 8 and 16 from 9.0 on";
    }
    const bool is_known = (factor == DataType::bfloat16 && gpu.tensor.bfloat16) ||
                          (factor == DataType::float16 && gpu.tensor.float16);
    if (is_known && product.type_of_b() == factor && gpu.capability_major >= capability_of_bfloat16)
        possible = {16};
    return "float64, and from compute capability 8.0 on bfloat16 and float16 with 16, are possible";
}

/// Instruction fragments assume 8 × 4 lanes.
void require_warps(Infeasibility& infeasibility, const GpuSchedule& schedule, const MatrixProduct& product,
                   const target::Gpu& gpu) {
    const int depth = schedule.mma_k;
    if (depth == 0) return;
    std::vector<int> possible;
    const std::string words = warp_depths(product, gpu, possible);
    infeasibility.require(std::find(possible.begin(), possible.end(), depth) != possible.end(),
                          "mma_k is {}, and the data type is {}; {}", depth, name_of(product.type_of_a()),
                          words);
    infeasibility.require(schedule.warp_lanes_m == 8 && schedule.warp_lanes_n == 4 && schedule.zigzag == 0,
                          "mma_k is {}, which 8 by 4 lanes without zigzag can have", depth);
    infeasibility.require(schedule.thread_m % 2 == 0 && schedule.thread_n % 2 == 0,
                          "mma_k is {}, and a thread has {} by {} elements; even extents are possible", depth,
                          schedule.thread_m, schedule.thread_n);
}

/// Digits of the thread index select a block's matrices.
void require_matrices(Infeasibility& infeasibility, const GpuSchedule& schedule,
                      const MatrixProduct& product) {
    if (schedule.matrices == 1) return;
    infeasibility.require(schedule.split_k == 1, "{} matrices in a block, of which {} share the depth",
                          schedule.matrices, schedule.split_k);
    for (const SmemTile& k_tile : smem_tiles_of(schedule, product)) {
        const Integer inner = k_tile.is_smem_k_major() ? k_tile.depth / k_tile.steps
                              : k_tile.k_major         ? k_tile.copy_k
                                                       : k_tile.extent / k_tile.lanes;
        infeasibility.require(inner >= schedule.matrix_threads() || schedule.matrix_threads() % inner == 0,
                              "{} threads of a matrix, which copy {} elements at once",
                              schedule.matrix_threads(), inner);
    }
}

void require_split_k(Infeasibility& infeasibility, const GpuSchedule& schedule, const MatrixProduct& product,
                     const target::Gpu& gpu) {
    infeasibility.require(
        schedule.interleaved_split_k == 0 || (schedule.interleaved_split_k == 1 && schedule.split_k > 1),
        "interleaved is {}, and splits {}; 0, and 1 of several splits, are possible",
        schedule.interleaved_split_k, schedule.split_k);
    if (schedule.split_k == 1) return;
    const bool is_cluster = schedule.split_k_in_workspace == 0;
    infeasibility.require(
        is_power_of_two(schedule.split_k) && (!is_cluster || schedule.split_k <= gpu.largest_cluster),
        "splits is {}; a cluster of this GPU has 1, 2, 4, … {} blocks", schedule.split_k,
        gpu.largest_cluster);
    const int vector = SimtThreadLayout::column_vector_of(schedule, product.data_type);
    const int vector_partitions = std::gcd(schedule.reducing_blocks(), schedule.thread_n / vector);
    infeasibility.require(vector % (schedule.reducing_blocks() / vector_partitions) == 0,
                          "{} splits do not share {} columns of a thread, which are in vectors of {}",
                          schedule.split_k, schedule.thread_n, vector);
    const Integer depth = schedule.cta_k;
    const Integer k_tiles = ceil_divide(ceil_divide(product.k, depth), Integer{schedule.split_k});
    const Integer missing = k_tiles * schedule.split_k * depth - product.k;
    infeasibility.require(schedule.interleaved_split_k != 0 ||
                              missing <= std::min<Integer>(schedule.stages - 1, k_tiles) * depth,
                          "{} splits do not share K = {} in k-tiles of {}", schedule.split_k, product.k,
                          depth);
}

void require_stream_k(Infeasibility& infeasibility, const GpuSchedule& schedule,
                      const MatrixProduct& product) {
    infeasibility.require(
        schedule.is_stream_k() || schedule.data_parallel_tiles == 0,
        "data_parallel_tiles is {}, which blocks of a stream have, and stream_k_blocks is 0",
        schedule.data_parallel_tiles);
    if (!schedule.is_stream_k()) return;
    infeasibility.require(schedule.split_k == 1 && schedule.matrices == 1,
                          "stream_k_blocks is {}, splits {} and matrices {}; a stream has one of each",
                          schedule.stream_k_blocks, schedule.split_k, schedule.matrices);
    infeasibility.require(product.reductions.empty(),
                          "stream_k_blocks is {}, and there are reductions, which are of whole tiles",
                          schedule.stream_k_blocks);
    infeasibility.require(schedule.k_slice_threads() > 1,
                          "stream_k_blocks is {}, and there is one thread to a tile",
                          schedule.stream_k_blocks);
    const StreamK stream = stream_k_of(schedule, product);
    infeasibility.require(stream.stream_k_tiles() > 0,
                          "{} whole tiles of each of {} blocks leave nothing to share of {} tiles",
                          schedule.data_parallel_tiles, schedule.stream_k_blocks, stream.tiles());
    infeasibility.require(stream.stream_k_tiles() * stream.k_tiles >= stream.blocks,
                          "{} blocks share {} k-tiles of {} tiles; each needs one", stream.blocks,
                          stream.stream_k_tiles() * stream.k_tiles, stream.stream_k_tiles());
}

/// A program with one block of one thread would count as a CPU program.
void require_multiple_threads(Infeasibility& infeasibility, const GpuSchedule& schedule,
                              const MatrixProduct& product) {
    const bool has_one_block = schedule.cta_m == product.rows && schedule.cta_n == product.columns &&
                               product.batch <= schedule.matrices && schedule.split_k == 1;
    infeasibility.require(schedule.threads() > 1 || !has_one_block,
                          "there is one thread for all; with sliced_k=2 there are two");
}

void require_operands(Infeasibility& infeasibility, const GpuSchedule& schedule,
                      const MatrixProduct& product) {
    const auto check = [&](const char* name, int widest, int lanes, int rows, bool suits) {
        infeasibility.require(is_power_of_two(lanes) && lanes <= widest && rows % lanes == 0,
                              "{} is {}; 1 … {} are possible where they divide {}", name, lanes, widest,
                              rows);
        infeasibility.require(suits, "{} is {}, but the operand's elements are not so aligned", name, lanes);
    };
    const auto check_vector_k = [&](const char* name, DataType number, int steps, int lanes, bool suits) {
        const int slice_k = schedule.cta_k / schedule.sliced_k;
        check(name, max_vector(product, number), steps, slice_k, suits);
        infeasibility.require(steps == 1 || lanes == 1,
                              "{} is {}, and a copy moves {} elements along the other extent", name, steps,
                              lanes);
    };
    check("a_vector_m", max_vector(product, product.type_of_a()), schedule.a_vector_m, schedule.cta_m,
          allows_vector(product.a, product.a.row_stride, product.a.column_stride, product.rows,
                        schedule.a_vector_m));
    check("b_vector_n", max_vector(product, product.type_of_b()), schedule.b_vector_n, schedule.cta_n,
          allows_vector(product.b, product.b.column_stride, product.b.row_stride, product.columns,
                        schedule.b_vector_n));
    check_vector_k("a_vector_k", product.type_of_a(), schedule.a_vector_k, schedule.a_vector_m,
                   schedule.is_tma_k_major(0) ||
                       allows_vector_k(product.a, product.a.column_stride, product.a.row_stride, product.k,
                                       product.rows, schedule.a_vector_k));
    check_vector_k("b_vector_k", product.type_of_b(), schedule.b_vector_k, schedule.b_vector_n,
                   schedule.is_tma_k_major(1) ||
                       allows_vector_k(product.b, product.b.row_stride, product.b.column_stride, product.k,
                                       product.columns, schedule.b_vector_k));
    infeasibility.require(
        schedule.c_vector_m == 1 || !SimtThreadLayout::loads_k_vectors(schedule, 0),
        "c_vector_m is {}, and a thread loads rows by themselves, of {} steps; 1 is possible",
        schedule.c_vector_m, schedule.a_vector_k);
    check("c_vector_m", max_vector_of_c(product), schedule.c_vector_m, schedule.thread_m,
          allows_vector(product.c, product.c.row_stride, product.c.column_stride, product.rows,
                        schedule.c_vector_m));
}

} // namespace

int max_vector(const MatrixProduct& product, DataType number) {
    const auto bytes = static_cast<int>(bytes_of(number));
    const int widest = SimtThreadLayout::widest_access / bytes;
    return product.listed ? std::clamp(product.list_alignment / bytes, 1, widest) : widest;
}

int max_vector_of_c(const MatrixProduct& product) {
    const int of_sums = SimtThreadLayout::widest_access / static_cast<int>(bytes_of(product.data_type));
    return std::min(of_sums, max_vector(product, product.type_of_c()));
}

bool allows_vector(const MatrixLayout& layout, Integer stride, Integer other_stride, Integer extent,
                   int lanes) {
    return lanes == 1 || (stride == 1 && other_stride % lanes == 0 && layout.batch_stride % lanes == 0 &&
                          extent % lanes == 0);
}

bool allows_vector_k(const MatrixLayout& layout, Integer stride, Integer mn_stride, Integer depth,
                     Integer lines, int steps) {
    return allows_vector(layout, stride, lines == 1 ? 0 : mn_stride, depth, steps);
}

int max_promotion_interval(Integer depth) {
    constexpr Integer min_k = 64, of_two_instructions = 192;
    if (depth < min_k) return 0;
    return depth < of_two_instructions ? 16 : 32;
}

Accuracy accuracy_of(const GpuSchedule& schedule, const MatrixProduct& product) {
    if (product.type_of_a() != DataType::float32 || !schedule.is_wgmma()) return Accuracy::ordinary;
    if (schedule.is_tf32()) return Accuracy::eleven_bits;
    const bool is_promoted = schedule.accumulation_interval > 0 &&
                             schedule.accumulation_interval * schedule.cta_k <= max_accumulation_steps &&
                             schedule.promotes_leading() &&
                             schedule.promotion_interval <= max_promotion_interval(product.k);
    if (schedule.bf16_split == 3 && is_promoted)
        return schedule.has_range_check() ? Accuracy::ordinary : Accuracy::ordinary_in_range;
    return schedule.bf16_split >= 2 ? Accuracy::reduced : Accuracy::low;
}

CanonicalGemm canonical_for_gpu(const MatrixProduct& product) {
    MatrixProduct swapped = product;
    if (product.listed) swapped.a.batch_stride = swapped.b.batch_stride = swapped.c.batch_stride = 0;
    if (product.c.row_stride == 1 || product.c.column_stride != 1) return {swapped, false};
    std::swap(swapped.rows, swapped.columns);
    std::swap(swapped.a_type, swapped.b_type);
    const auto transposed = [](MatrixLayout layout) {
        std::swap(layout.row_stride, layout.column_stride);
        return layout;
    };
    std::swap(swapped.a, swapped.b);
    swapped.a = transposed(swapped.a);
    swapped.b = transposed(swapped.b);
    swapped.c = transposed(swapped.c);
    return {swapped, true};
}

void require_gpu_data_types(const MatrixProduct& product, const target::Gpu& gpu) {
    const std::array<DataType, 3> stored = {product.type_of_a(), product.type_of_b(), product.type_of_c()};
    const auto is_known = [&](DataType number) {
        return number == product.data_type ||
               (product.data_type == DataType::float32 && number != DataType::float64);
    };
    if (product.data_type == DataType::int32 || !std::all_of(stored.begin(), stored.end(), is_known))
        throw UserError(
            "matrix multiplication of {} and {} to {} with accumulators of {} on a GPU; float32, float64 and "
            "complex "
            "types of both are possible, and with accumulators of float32 also operands of bfloat16, "
            "float16, "
            "float8_e4m3, bytes and normalised integers",
            name_of(stored[0]), name_of(stored[1]), name_of(stored[2]), name_of(product.data_type));
    if (is_complex(product.data_type) && product.epilogue.tree() != nullptr)
        throw UserError("an epilogue of {} on a GPU; products of float32 and float64 have such",
                        name_of(product.data_type));
    if (gpu.capability_major < capability_of_bfloat16 &&
        std::find(stored.begin(), stored.end(), DataType::bfloat16) != stored.end())
        throw UserError(
            "{} has no instructions for bfloat16\n  use float16 or float32, or a GPU from sm_80 on",
            gpu.name);
    if (!gpu.tensor.float8 && std::find(stored.begin(), stored.end(), DataType::float8_e4m3) != stored.end())
        throw UserError(
            "{} has no instructions for float8_e4m3\n  use float16 or float32, or a GPU from sm_90 on",
            gpu.name);
}

std::optional<std::string> infeasibility(const GpuSchedule& schedule, const MatrixProduct& product,
                                         const target::Gpu& gpu) {
    const MatrixProduct canonical = canonical_for_gpu(product).product;
    Infeasibility infeasibility;
    require_least(infeasibility, schedule);
    if (infeasibility.reason) return infeasibility.reason;
    if (schedule.is_wgmma()) {
        if (std::string why = wgmma_infeasibility(schedule, canonical, gpu); !why.empty()) return why;
        return std::nullopt;
    }
    require_threads(infeasibility, schedule, gpu);
    require_warps(infeasibility, schedule, canonical, gpu);
    if (infeasibility.reason) return infeasibility.reason;
    infeasibility.require(schedule.cta_m <= canonical.rows && schedule.cta_n <= canonical.columns,
                          "a tile of {} × {}, but C is {} × {}, as its columns are stored", schedule.cta_m,
                          schedule.cta_n, canonical.rows, canonical.columns);
    require_operands(infeasibility, schedule, canonical);
    if (infeasibility.reason) return infeasibility.reason;
    if (std::string why = global_load_infeasibility(schedule, canonical); !why.empty()) return why;
    if (std::string why = tma_infeasibility(schedule, canonical, gpu); !why.empty()) return why;
    require_split_k(infeasibility, schedule, canonical, gpu);
    require_matrices(infeasibility, schedule, canonical);
    require_stream_k(infeasibility, schedule, canonical);
    require_multiple_threads(infeasibility, schedule, canonical);
    infeasibility.require(shared_bytes(schedule, product) <= gpu.max_shared_bytes_per_block,
                          "{} bytes of shared memory; a block has {} at most",
                          shared_bytes(schedule, product), gpu.max_shared_bytes_per_block);
    return infeasibility.reason;
}

void validate(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu) {
    if (!schedule.is_wgmma()) require_gpu_data_types(product, gpu);
    if (const auto reason = infeasibility(schedule, product, gpu))
        throw UserError("this schedule does not suit: {}\n  schedule: {}", *reason, to_string(schedule));
}

Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& product) {
    const MatrixProduct canonical = canonical_for_gpu(product).product;
    if (schedule.is_wgmma()) return wgmma_shared_bytes(schedule, canonical);
    Integer bytes = 0;
    if (!schedule.loads_from_global())
        for (const SmemTile& k_tile : smem_tiles_of(schedule, canonical))
            bytes += TmaLoader::bytes_of_stages(schedule, k_tile);
    bytes += TmaLoader::extra_bytes(schedule);
    const Integer sums = Integer{schedule.cta_m} * schedule.cta_n * bytes_of(product.data_type);
    if (schedule.split_k > 1 && schedule.split_k_in_workspace == 0) bytes += sums;
    return schedule.matrices * bytes + SlicedKReduction::extra_bytes(schedule, canonical) +
           GpuBlockReductions::shared_bytes(schedule, canonical);
}

} // namespace swirl::gemm
