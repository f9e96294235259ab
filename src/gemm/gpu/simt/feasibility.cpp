#include "base/error.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/global_operands.hpp"
#include "gemm/gpu/simt/kernel.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/gpu/simt/tma_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace swirl::gemm {

namespace {

/// The first reason why a schedule is infeasible.
class FirstInfeasibility {
public:
    template <class... Arguments>
    void require(bool holds, fmt::format_string<Arguments...> why, Arguments&&... arguments) {
        if (!holds && reason.empty()) reason = fmt::format(why, std::forward<Arguments>(arguments)...);
    }
    std::string reason;
};

constexpr int capability_of_half_mma = 8;

bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

void require_threads(FirstInfeasibility& infeasibility, const SimtGemm& schedule, const target::Gpu& gpu) {
    const Extents lanes = schedule.warp_lanes(), &thread = schedule.thread_tile;
    const CtaTile& tile = schedule.cta_tile;
    infeasibility.require(
        is_power_of_two(lanes.m) && is_power_of_two(lanes.n) && schedule.lanes() <= gpu.warp_size,
        "warp_lanes_m is {} and warp_lanes_n {}; powers of two are possible, {} in all at most", lanes.m,
        lanes.n, gpu.warp_size);
    infeasibility.require(schedule.lanes() == gpu.warp_size || schedule.k_slice_threads() == schedule.lanes(),
                          "warp_lanes_m is {} and warp_lanes_n {}, but a slice of K has {} threads; {} lanes "
                          "in all are possible",
                          lanes.m, lanes.n, schedule.k_slice_threads(),
                          std::min(gpu.warp_size, schedule.k_slice_threads()));
    infeasibility.require(tile.m % (lanes.m * thread.m) == 0,
                          "cta_m is {}; multiples of warp_lanes_m × thread_m, {}, are possible", tile.m,
                          lanes.m * thread.m);
    infeasibility.require(tile.n % (lanes.n * thread.n) == 0,
                          "cta_n is {}; multiples of warp_lanes_n × thread_n, {}, are possible", tile.n,
                          lanes.n * thread.n);
    infeasibility.require(schedule.threads() <= gpu.threads_per_block,
                          "a block has {} threads; {} at most are possible", schedule.threads(),
                          gpu.threads_per_block);
    const int k_of_slices = schedule.sliced_k * schedule.instruction_k();
    infeasibility.require(tile.k % k_of_slices == 0 && tile.k / k_of_slices >= 2,
                          "cta_k is {}; multiples of {}, from {} on, are possible for {} slices of K", tile.k,
                          k_of_slices, 2 * k_of_slices, schedule.sliced_k);
    infeasibility.require(schedule.stages >= 2 && schedule.stages <= 32, "stages is {}; 2 … 32 are possible",
                          schedule.stages);
}

/// Possible K extents of mma.sync, in words.
std::string possible_mma_k(const MatrixProduct& product, const target::Gpu& gpu, std::vector<int>& possible) {
    const DataType operand_type = product.type_of_a();
    if (product.data_type == DataType::float64) {
        if (gpu.tensor.float64) possible = {4};
        if (gpu.tensor.float64 && gpu.capability_major >= 9) possible = {4, 8, 16};
        return "4 is possible from compute capability 8.0 on, 8 and 16 from 9.0 on";
    }
    const bool is_known = (operand_type == DataType::bfloat16 && gpu.tensor.bfloat16) ||
                          (operand_type == DataType::float16 && gpu.tensor.float16);
    if (is_known && product.type_of_b() == operand_type && gpu.capability_major >= capability_of_half_mma)
        possible = {16};
    return "float64, and from compute capability 8.0 on bfloat16 and float16 with 16, are possible";
}

void require_mma(FirstInfeasibility& infeasibility, const SimtGemm& schedule, const MatrixProduct& product,
                 const target::Gpu& gpu) {
    if (!schedule.is_mma()) return;
    std::vector<int> possible;
    const std::string words = possible_mma_k(product, gpu, possible);
    infeasibility.require(std::find(possible.begin(), possible.end(), schedule.mma_k()) != possible.end(),
                          "mma_k is {}, and the data type is {}; {}", schedule.mma_k(),
                          name_of(product.type_of_a()), words);
    infeasibility.require(schedule.thread_tile.m % 2 == 0 && schedule.thread_tile.n % 2 == 0,
                          "mma_k is {}, thread_m {} and thread_n {}; even extents are possible",
                          schedule.mma_k(), schedule.thread_tile.m, schedule.thread_tile.n);
}

/// Digits of the thread index select a block's matrices.
void require_matrices(FirstInfeasibility& infeasibility, const CanonicalSimtGemm& gemm) {
    const SimtGemm& schedule = gemm.schedule;
    if (schedule.matrices() == 1) return;
    for (const SmemTile& k_tile : gemm.k_tiles) {
        const Integer inner = k_tile.is_smem_k_major() ? k_tile.k / k_tile.vector_k
                              : k_tile.k_major         ? k_tile.copy_k
                                                       : k_tile.extent / k_tile.vector_mn;
        infeasibility.require(
            inner >= schedule.matrix_threads() || schedule.matrix_threads() % inner == 0,
            "matrices is {}, and a matrix has {} threads, which copy {} vectors at once; 1 is possible, or "
            "threads that are a multiple of these",
            schedule.matrices(), schedule.matrix_threads(), inner);
    }
}

void require_split_k(FirstInfeasibility& infeasibility, const SimtGemm& schedule,
                     const MatrixProduct& product, const target::Gpu& gpu) {
    if (schedule.split_k() == nullptr) return;
    const int splits = schedule.splits();
    infeasibility.require(splits > 1, "split_k is {}; 2, 4, 8 … are possible", splits);
    infeasibility.require(is_power_of_two(splits), "split_k is {}; 2, 4, 8 … are possible", splits);
    infeasibility.require(schedule.splits_in_workspace() || gpu.largest_cluster >= splits,
                          "split_k is {}, but clusters of this GPU have at most {} blocks; let "
                          "split_k_in_workspace=1, or leave it out",
                          splits, std::max(gpu.largest_cluster, 1));
    const int vector = SimtThreadLayout::column_vector_of(schedule, product.data_type);
    const int vector_partitions = std::gcd(schedule.reducing_blocks(), schedule.thread_tile.n / vector);
    infeasibility.require(vector % (schedule.reducing_blocks() / vector_partitions) == 0,
                          "split_k is {}, and thread_n {} in vectors of {}, which the splits do not share; "
                          "divisors of thread_n are possible",
                          splits, schedule.thread_tile.n, vector);
    const Integer k = schedule.cta_tile.k;
    const Integer k_tiles = ceil_divide(ceil_divide(product.k, k), Integer{splits});
    const Integer missing = k_tiles * splits * k - product.k;
    infeasibility.require(
        schedule.interleaves_splits() || missing <= std::min<Integer>(schedule.stages - 1, k_tiles) * k,
        "split_k is {}, and K = {} is {} k indices short of equal splits in k-tiles of {}; fewer "
        "splits, or interleaved_split_k=1, are possible",
        splits, product.k, missing, k);
}

void require_stream_k(FirstInfeasibility& infeasibility, const SimtGemm& schedule,
                      const MatrixProduct& product, const target::Gpu& gpu) {
    if (schedule.stream_k() == nullptr) return;
    const StreamK& stream_k = *schedule.stream_k();
    infeasibility.require(
        gpu.has_conditional_barriers,
        "stream_k_blocks is {}, and its barriers are in conditional code, with which an OpenCL "
        "implementation, PoCL 3.1, gives wrong results; stream_k_blocks=0, or another language, is "
        "possible",
        stream_k.blocks);
    infeasibility.require(stream_k.blocks > 0, "stream_k_blocks is {}; 1 and more are possible",
                          stream_k.blocks);
    infeasibility.require(product.reductions.empty(),
                          "stream_k_blocks is {}, and reductions need whole tiles; 0 is possible",
                          stream_k.blocks);
    infeasibility.require(schedule.k_slice_threads() > 1,
                          "stream_k_blocks is {}, and a tile has one thread; 0 is possible", stream_k.blocks);
    if (!infeasibility.reason.empty()) return;
    const StreamKPartition partition = stream_k_of(schedule, product);
    infeasibility.require(
        partition.stream_k_tiles() > 0,
        "data_parallel_tiles is {}, and {} blocks leave nothing to share of {} tiles; fewer are possible",
        stream_k.data_parallel_tiles, stream_k.blocks, partition.tiles());
    infeasibility.require(partition.stream_k_tiles() * partition.k_tiles >= partition.blocks,
                          "stream_k_blocks is {}, and there are {} k-tiles of {} tiles to share; as many "
                          "blocks at most are possible",
                          partition.blocks, partition.stream_k_tiles() * partition.k_tiles,
                          partition.stream_k_tiles());
}

/// A program with one block of one thread would count as a CPU program.
void require_multiple_threads(FirstInfeasibility& infeasibility, const SimtGemm& schedule,
                              const MatrixProduct& product) {
    const bool has_one_block = schedule.cta_tile.m == product.rows &&
                               schedule.cta_tile.n == product.columns &&
                               product.batch <= schedule.matrices() && schedule.splits() == 1;
    infeasibility.require(schedule.threads() > 1 || !has_one_block,
                          "a launch with one thread is not possible; use sliced_k=2");
}

void require_operands(FirstInfeasibility& infeasibility, const SimtGemm& schedule,
                      const MatrixProduct& product) {
    const auto check = [&](const char* name, int widest, int lanes, int rows, bool suits) {
        infeasibility.require(is_power_of_two(lanes) && lanes <= widest && rows % lanes == 0,
                              "{} is {}; 1 … {} are possible where they divide {}", name, lanes, widest,
                              rows);
        infeasibility.require(suits,
                              "{} is {}, and the matrix's strides do not align such vectors; 1 is possible",
                              name, lanes);
    };
    const auto check_vector_k = [&](const char* name, DataType data_type, const SimtOperand& operand,
                                    bool suits) {
        const int slice_k = schedule.cta_tile.k / schedule.sliced_k;
        check(name, max_vector(product, data_type), operand.vector_k, slice_k, suits);
        infeasibility.require(operand.vector_k == 1 || operand.vector_mn == 1,
                              "{} is {}, and a copy moves {} elements along the other extent; one of both is "
                              "1",
                              name, operand.vector_k, operand.vector_mn);
    };
    const CtaTile& tile = schedule.cta_tile;
    check("a_vector_m", max_vector(product, product.type_of_a()), schedule.a.vector_mn, tile.m,
          allows_vector(product.a, product.a.row_stride, product.a.column_stride, product.rows,
                        schedule.a.vector_mn));
    check("b_vector_n", max_vector(product, product.type_of_b()), schedule.b.vector_mn, tile.n,
          allows_vector(product.b, product.b.column_stride, product.b.row_stride, product.columns,
                        schedule.b.vector_mn));
    check_vector_k("a_vector_k", product.type_of_a(), schedule.a,
                   schedule.is_tma_k_major(0) ||
                       allows_vector_k(product.a, product.a.column_stride, product.a.row_stride, product.k,
                                       product.rows, schedule.a.vector_k));
    check_vector_k("b_vector_k", product.type_of_b(), schedule.b,
                   schedule.is_tma_k_major(1) ||
                       allows_vector_k(product.b, product.b.row_stride, product.b.column_stride, product.k,
                                       product.columns, schedule.b.vector_k));
    infeasibility.require(
        schedule.c_vector_m == 1 || !SimtThreadLayout::has_single_rows(schedule, product.data_type),
        "c_vector_m is {}, and threads load single rows of A, of {} k indices; 1 is possible",
        schedule.c_vector_m, schedule.a.vector_k);
    check("c_vector_m", max_vector_of_c(product), schedule.c_vector_m, schedule.thread_tile.m,
          allows_vector(product.c, product.c.row_stride, product.c.column_stride, product.rows,
                        schedule.c_vector_m));
}

} // namespace

std::string simt_infeasibility(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const SimtGemm& schedule = gemm.schedule;
    const MatrixProduct& canonical = gemm.product();
    FirstInfeasibility infeasibility;
    require_threads(infeasibility, schedule, gpu);
    if (!infeasibility.reason.empty()) return infeasibility.reason;
    require_mma(infeasibility, schedule, canonical, gpu);
    infeasibility.require(
        schedule.cta_tile.m <= canonical.rows && schedule.cta_tile.n <= canonical.columns,
        "cta_m is {} and cta_n {}, and C, as its columns are stored, is {} × {}; these at most are possible",
        schedule.cta_tile.m, schedule.cta_tile.n, canonical.rows, canonical.columns);
    require_operands(infeasibility, schedule, canonical);
    if (!infeasibility.reason.empty()) return infeasibility.reason;
    if (std::string why = global_load_infeasibility(schedule, canonical); !why.empty()) return why;
    if (std::string why = tma_infeasibility(gemm, gpu); !why.empty()) return why;
    require_split_k(infeasibility, schedule, canonical, gpu);
    require_matrices(infeasibility, gemm);
    require_stream_k(infeasibility, schedule, canonical, gpu);
    require_multiple_threads(infeasibility, schedule, canonical);
    const Integer bytes = simt_shared_bytes(gemm);
    infeasibility.require(bytes <= gpu.max_shared_bytes_per_block,
                          "a block needs {} bytes of shared memory; {} at most are possible", bytes,
                          gpu.max_shared_bytes_per_block);
    return infeasibility.reason;
}

} // namespace swirl::gemm
