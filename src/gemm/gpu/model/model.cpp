// Cost model of a schedule, from the GPU's parameters: a multiprocessor's time for its blocks, k-tile by k-tile, and
// memory traffic. The constants are an H100's, fitted to some 8000 schedules of 300 problems timed there and on an H200
// (`bench --device gpu --candidates`).
#include "gemm/gpu/model/model.hpp"

#include "base/error.hpp"
#include "gemm/gpu/model/batched_model.hpp"
#include "gemm/gpu/model/mma_model.hpp"
#include "gemm/gpu/model/reduction_model.hpp"
#include "gemm/gpu/model/simt_candidates.hpp"
#include "gemm/gpu/model/wgmma_model.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/kernel.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/scalar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace swirl::gemm {

namespace {

/// In cycles unless stated otherwise.
struct Constants {
    double hertz = 1.9e+09;
    double memory_rate = 3.476e+12; ///< bytes per second
    double l2_rate = 2.1e+13;       ///< of L2, bytes per second
    double from_global = 0.94;      ///< factor on memory traffic with operands straight from global memory
    double narrow_copies = 1.162;   ///< factor on memory traffic with copies narrower than 16 bytes
    double launch = 222;            ///< before the first block starts and after the last one ends
    double block = 1731;            ///< until a block's first k-tile arrives, and for its exit
    double barrier = 127.4;         ///< of a block, per k-tile
    double k_latency =
        10.45; ///< from the operand loads of a k index to their first use: least time per k index
    double by_k_vectors = 1.394; ///< factor on issue slots if a row's k vectors occupy registers of one bank
    double by_columns =
        1.455;             ///< likewise for k vectors of columns, each multiplied by all rows before the next
    double uneven = 1.134; ///< factor on issue slots of thread tiles whose extents are not powers of two
    double separate_warps =
        0.9337; ///< factor on issue slots if a scheduler's two warps, with many accumulators, belong to two blocks
    double load_issue = 0.257;     ///< issue slots of a load from shared memory
    double copy_issue = 1.029;     ///< issue slots of a copy
    double transpose_issue = 1.1;  ///< issue slots of a shared-memory access that transposes what TMA loaded
    double tma_issue = 456.9;      ///< of the thread that issues a k-tile's TMA loads between multiply-adds
    double transpose_pass = 3.017; ///< shared-memory cycles of such an access by a warp
    double tma_k_major = 0.97;     ///< factor on memory traffic with K-major TMA loads
    double tma_traffic = 0.93;     ///< factor on memory traffic with other TMA loads
    double load_pass = 0.7581;     ///< shared-memory cycles for 128 bytes
    double pass_by_k_vectors = 1.097; ///< factor on these for k vectors of a row
    double copy_pass = 3.645;         ///< cycles of shared memory and L1 for a copy by a warp
    double line_pass = 1.883;         ///< least cycles of such a copy, per contiguous range that it reads
    double k_tile_issue = 5.141;      ///< other issue slots per k-tile
    double k_tile_latency = 294;      ///< from issuing a k-tile's loads to its arrival
    double store_bytes = 9.271;       ///< bytes of C that leave a multiprocessor per cycle
    double touched = 0.7847;          ///< exponent: of touches of C's sectors, on the time of stores
    double exchange_bytes = 23.38;    ///< bytes of accumulators reduced per cycle
    double slices = 870.6;            ///< barriers of a sliced-K reduction
    double pair = 1761;               ///< launch and barriers of a cluster of two blocks
    double cluster = 1095;            ///< per additional block
    double group = 9197;              ///< a barrier of blocks through memory
    double added_split = 26.57;       ///< for reducing one more split through the workspace
    double block_rate = 1.145e+09;    ///< block launches per second
    double finish = 3.118e-06;        ///< seconds, of the fixup kernel that reduces partial tiles
    double partials_rate = 3.172e+12; ///< bytes per second of partials written and read
    double stream_k_tile = 58.01;     ///< additional cycles per Stream-K k-tile
    double doubt = 0.9737;            ///< safety factor on Stream-K times, which have no fit
    double hidden = 0.008831;         ///< fraction of the shorter of computing and moving that is exposed
    double conflict = 1.732;          ///< exponent: overlap of multiply-adds and memory accesses
};
constexpr Constants constants;

constexpr int other_registers = 36;

/// Threads with as many accumulators as registers allow, in power-of-two rows and columns; a scheduler has two such
/// warps.
bool has_many_accumulators(const SimtGemm& schedule) {
    const auto accumulators = static_cast<unsigned>(schedule.thread_tile.m * schedule.thread_tile.n);
    return !schedule.is_mma() && schedule.splits() == 1 && accumulators >= 128 &&
           std::has_single_bit(accumulators);
}

constexpr double usual_multiprocessors = 100;

} // namespace

int gpu_resident_blocks(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const int threads = gemm.schedule.threads();
    const int registers = gpu_registers(gemm.schedule, gemm.product().data_type);
    const int most = std::min(gpu.registers_per_thread, gpu.registers_per_block / threads);
    if (registers > most + other_registers / 2) return 0;
    return target::occupancy(gpu, threads, std::min(registers, most), simt_shared_bytes(gemm)).blocks;
}

namespace {

/// A warp's work for one k index.
struct KCycles {
    double issue = 0;
    double shared = 0;
    double latency = 0;
};

KCycles cycles_of_k(const SimtGemm& schedule, DataType data_type) {
    const double rows = schedule.thread_tile.m, columns = schedule.thread_tile.n;
    const double words = static_cast<double>(bytes_of(data_type)) / 4;
    const auto loads = [&](int extent, int vector_k) {
        return static_cast<double>(extent) /
               (vector_k > 1 ? vector_k : SimtThreadLayout::vector_of(data_type, extent));
    };
    const double vector_loads = loads(schedule.thread_tile.m, schedule.a.vector_k) +
                                loads(schedule.thread_tile.n, schedule.b.vector_k);
    const auto passes = [](double extent, int vector_k) {
        return extent * constants.load_pass * (vector_k > 1 ? constants.pass_by_k_vectors : 1);
    };
    const bool is_smem_k_major = schedule.a.vector_k > 1 || schedule.b.vector_k > 1;
    const bool by_columns =
        schedule.a.vector_k == 1 && std::get<Fma>(schedule.math).order == FmaOrder::serpentine_columns;
    const double by_k_vectors = by_columns ? constants.by_columns : constants.by_k_vectors;
    return {.issue = rows * columns * words * scalars_in(data_type) * (is_smem_k_major ? by_k_vectors : 1) +
                     vector_loads * constants.load_issue,
            .shared = (passes(rows, schedule.a.vector_k) + passes(columns, schedule.b.vector_k)) * words,
            .latency = constants.k_latency};
}

/// A multiprocessor's work for one k-tile of one block.
struct KTileCycles {
    double issue = 0;        ///< per scheduler
    double shared = 0;       ///< shared memory
    double single_block = 0; ///< one resident block: latency-bound
};

/// Contiguous ranges of memory that a warp's copy reads.
double ranges_of_copy(const SmemTile& k_tile, const target::Gpu& gpu) {
    const Integer contiguous = k_tile.is_smem_k_major() ? k_tile.k
                               : k_tile.k_major         ? k_tile.copy_k
                                                        : k_tile.extent;
    const double copied = static_cast<double>(gpu.warp_size) * k_tile.elements_of_copy();
    return copied / static_cast<double>(std::min<Integer>(contiguous, static_cast<Integer>(copied)));
}

KTileCycles cycles_of_k_tile(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const SimtGemm& schedule = gemm.schedule;
    const double warps = std::ceil(schedule.threads() / static_cast<double>(gpu.warp_size));
    const double schedulers = gpu.partitions;
    const double k_steps = static_cast<double>(schedule.cta_tile.k) / schedule.sliced_k;
    const KCycles k_step = cycles_of_k(schedule, gemm.product().data_type);
    double copies = 0, copy_passes = 0, accesses = 0; // by warps; accesses for the transpose
    for (std::size_t operand = 0; operand < gemm.k_tiles.size(); ++operand) {
        const SmemTile& k_tile = gemm.k_tiles[operand];
        const double elements =
            static_cast<double>(schedule.matrices() * k_tile.extent * k_tile.k) / gpu.warp_size;
        if (!schedule.is_tma(operand)) {
            const double of_operand = elements / k_tile.elements_of_copy();
            copies += of_operand;
            const double pass =
                schedule.loads_from_global()
                    ? constants.copy_pass
                    : std::max(constants.copy_pass, constants.line_pass * ranges_of_copy(k_tile, gpu));
            copy_passes += of_operand * pass;
        }
        if (k_tile.is_transposed) accesses += elements * (1 + 1.0 / static_cast<double>(k_tile.chunk()));
    }
    KTileCycles result;
    result.issue = std::max(1.0, warps / schedulers) * (k_steps * k_step.issue + constants.k_tile_issue) +
                   (copies * constants.copy_issue + accesses * constants.transpose_issue) / schedulers;
    if (!std::has_single_bit(static_cast<unsigned>(schedule.thread_tile.m * schedule.thread_tile.n)))
        result.issue *= constants.uneven;
    result.shared = warps * k_steps * k_step.shared + copy_passes + accesses * constants.transpose_pass;
    const double waves = std::max(1.0, warps / schedulers);
    const double barrier = constants.barrier / (has_many_accumulators(schedule) ? waves : 1);
    result.single_block = k_steps * std::max(k_step.issue * waves, k_step.latency) + barrier +
                          (schedule.has_tma() ? constants.tma_issue : 0);
    return result;
}

double overlapped(double a, double b) {
    return std::pow(std::pow(a, constants.conflict) + std::pow(b, constants.conflict),
                    1 / constants.conflict);
}

/// Cycles of the split-K reduction.
double cycles_of_split_k(const SimtGemm& schedule, double bytes) {
    if (schedule.splits() == 1) return 0;
    if (schedule.splits_in_workspace())
        return constants.group + schedule.splits() * constants.added_split + bytes / constants.exchange_bytes;
    return constants.pair + (schedule.splits() - 2) * constants.cluster +
           2 * bytes / constants.exchange_bytes;
}

double bytes_of_tile(const SimtGemm& schedule, DataType data_type) {
    return static_cast<double>(schedule.matrices()) * schedule.cta_tile.m * schedule.cta_tile.n *
           static_cast<double>(bytes_of(data_type));
}

/// Cycles of the sliced-K reduction, each slice having a share of the columns; few accumulators are latency-bound.
double cycles_of_sliced_k(const SimtGemm& schedule, double bytes) {
    const double by_one = (schedule.sliced_k - 1) * bytes / constants.exchange_bytes;
    const double shares = std::gcd(schedule.sliced_k, schedule.thread_tile.n);
    return std::min(by_one, constants.slices + schedule.sliced_k * bytes / shares / constants.exchange_bytes);
}

/// Times that a store touches each sector of C, where threads have more adjacent rows than one store moves.
double touches_of_store(const SimtGemm& schedule, DataType data_type) {
    if (SimtThreadLayout::has_single_rows(schedule, data_type)) return 1;
    return static_cast<double>(SimtThreadLayout::vector_of(data_type, schedule.thread_tile.m)) /
           schedule.c_vector_m;
}

/// Cycles of a tile's prologue and epilogue.
double cycles_around(const SimtGemm& schedule, DataType data_type) {
    const double bytes = bytes_of_tile(schedule, data_type);
    return constants.block +
           bytes * std::pow(touches_of_store(schedule, data_type), constants.touched) /
               constants.store_bytes / schedule.splits() +
           cycles_of_sliced_k(schedule, bytes) + cycles_of_split_k(schedule, bytes);
}

double seconds_of_traffic(const MatrixProduct& canonical, const SimtGemm& schedule, double row_blocks,
                          double column_blocks) {
    const auto bytes = [](DataType data_type) { return static_cast<double>(bytes_of(data_type)); };
    const double of_a = bytes(canonical.type_of_a()), of_b = bytes(canonical.type_of_b()),
                 of_c = bytes(canonical.type_of_c()), batch = static_cast<double>(canonical.batch);
    const double m = static_cast<double>(canonical.rows), n = static_cast<double>(canonical.columns),
                 k = static_cast<double>(canonical.k);
    const auto burden = [&](std::size_t operand, DataType data_type, int lanes, int vector_k) {
        if (schedule.loads_from_global()) return constants.from_global;
        const bool is_wide =
            Integer{lanes} * vector_k * bytes_of(data_type) >= SimtThreadLayout::widest_access;
        if (schedule.is_tma(operand))
            return schedule.is_tma_k_major(operand) ? constants.tma_k_major : constants.tma_traffic;
        return is_wide ? 1 : constants.narrow_copies;
    };
    const double a_burden = burden(0, canonical.type_of_a(), schedule.a.vector_mn, schedule.a.vector_k),
                 b_burden = burden(1, canonical.type_of_b(), schedule.b.vector_mn, schedule.b.vector_k);
    const double of_result = schedule.loads_from_global() ? constants.from_global : 1;
    const double once =
        (m * k * of_a * a_burden + k * n * of_b * b_burden + m * n * of_c * of_result) * batch;
    const double tiles =
        row_blocks * column_blocks * (schedule.cta_tile.m * of_a + schedule.cta_tile.n * of_b) * k * batch;
    return std::max(once / constants.memory_rate, tiles / constants.l2_rate);
}

/// Adds the cost of partials to a Stream-K schedule's time for its k-tiles.
double with_partials(double seconds, const SimtGemm& schedule, const MatrixProduct& canonical) {
    const StreamKPartition stream = stream_k_of(schedule, canonical);
    const double partials =
        static_cast<double>(stream.partials()) * bytes_of_tile(schedule, canonical.data_type);
    const double k_tiles =
        static_cast<double>(stream.k_tiles_of_block()) * constants.stream_k_tile / constants.hertz;
    return (seconds + k_tiles + constants.finish + partials / constants.partials_rate) * constants.doubt;
}

} // namespace

ModelRates model_rates(const target::Gpu& gpu) {
    return {gpu.multiprocessors > 0 ? gpu.multiprocessors : usual_multiprocessors, constants.hertz,
            constants.memory_rate};
}

int gpu_registers(const SimtGemm& schedule, DataType data_type) {
    const int words = static_cast<int>(bytes_of(data_type)) / 4;
    int operand_registers =
        schedule.thread_tile.m * schedule.a.vector_k + schedule.thread_tile.n * schedule.b.vector_k;
    int addresses = operand_registers;
    if (schedule.loads_from_global()) {
        operand_registers =
            (schedule.thread_tile.m + schedule.thread_tile.n) * schedule.cta_tile.k / schedule.sliced_k;
        addresses = schedule.thread_tile.n;
    }
    if (schedule.is_mma())
        addresses = operand_registers = (schedule.thread_tile.m + schedule.thread_tile.n / 2) *
                                        schedule.mma_k() / 4 /
                                        (data_type == DataType::float64 ? 1 : 2); // two per register
    return words * (schedule.thread_tile.m * schedule.thread_tile.n + operand_registers) + addresses +
           other_registers;
}

double mma_speedup(DataType data_type) { return data_type == DataType::float64 ? 2 : 8; }

namespace {

/// Excludes reductions.
double seconds_of_kernel(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& canonical = gemm.product();
    const SimtGemm& schedule = gemm.schedule;
    if (schedule.is_mma()) {
        const double seconds = mma_seconds(gemm, gpu);
        return schedule.stream_k() == nullptr ? seconds : with_partials(seconds, schedule, canonical);
    }
    const int fits = gpu_resident_blocks(gemm, gpu);
    if (fits == 0) return INFINITY;
    const double row_blocks = static_cast<double>(ceil_divide(canonical.rows, Integer{schedule.cta_tile.m}));
    const double column_blocks =
        static_cast<double>(ceil_divide(canonical.columns, Integer{schedule.cta_tile.n}));
    const double blocks =
        schedule.stream_k() != nullptr
            ? schedule.stream_k()->blocks
            : row_blocks * column_blocks * schedule.splits() *
                  static_cast<double>(ceil_divide(canonical.batch, Integer{schedule.matrices()}));
    const double each =
        std::ceil(blocks / model_rates(gpu).multiprocessors); // blocks of the busiest multiprocessor
    const double resident = std::min<double>(fits, each), waves = std::ceil(each / resident);
    const double k_tiles =
        schedule.stream_k() != nullptr
            ? static_cast<double>(stream_k_of(schedule, canonical).k_tiles_of_block())
            : std::ceil(static_cast<double>(canonical.k) / schedule.cta_tile.k / schedule.splits());
    const KTileCycles k_tile = cycles_of_k_tile(gemm, gpu);
    const bool has_separate_warps = resident > 1 && has_many_accumulators(schedule);
    const double overlapped_cycles =
        overlapped(k_tile.issue, k_tile.shared) * (has_separate_warps ? constants.separate_warps : 1);
    const double arrival = constants.k_tile_latency / (schedule.stages - 1);
    const double all =
        std::max(each * overlapped_cycles, waves * std::max(k_tile.single_block, arrival)) * k_tiles;
    const double tiles = schedule.stream_k() != nullptr
                             ? static_cast<double>(stream_k_of(schedule, canonical).tiles_of_block())
                             : waves; // consecutive
    const double around = cycles_around(schedule, canonical.data_type) * (1 + (tiles - 1) / resident);
    const double seconds =
        std::max((constants.launch + around + all) / constants.hertz, blocks / constants.block_rate);
    const double traffic = seconds_of_traffic(canonical, schedule, row_blocks, column_blocks) +
                           (constants.launch + constants.block +
                            cycles_of_split_k(schedule, bytes_of_tile(schedule, canonical.data_type))) /
                               constants.hertz;
    const double without_reductions =
        std::max(seconds, traffic) + constants.hidden * std::min(seconds, traffic);
    return schedule.stream_k() != nullptr ? with_partials(without_reductions, schedule, canonical)
                                          : without_reductions;
}

double seconds_of_kernel(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu) {
    return wgmma_seconds(gemm, gpu);
}
double seconds_of(const BatchedGemm& schedule, const CanonicalGemm& canonical, const target::Gpu& gpu) {
    return batched_seconds(CanonicalBatchedGemm(canonical, schedule), gpu);
}

template <class Gemm> double seconds_with_reductions(const Gemm& gemm, const target::Gpu& gpu) {
    const double seconds = seconds_of_kernel(gemm, gpu);
    return gemm.product().reductions.empty() ? seconds
                                             : seconds + gpu_reduction_seconds(gemm, model_rates(gpu));
}

double seconds_of(const SimtGemm& schedule, const CanonicalGemm& canonical, const target::Gpu& gpu) {
    return seconds_with_reductions(CanonicalSimtGemm(canonical, schedule), gpu);
}
double seconds_of(const WgmmaGemm& schedule, const CanonicalGemm& canonical, const target::Gpu& gpu) {
    return seconds_with_reductions(CanonicalWgmmaGemm(canonical, schedule), gpu);
}
double seconds_of(const GpuGemmSchedule& schedule, const CanonicalGemm& canonical, const target::Gpu& gpu) {
    return std::visit([&](const auto& kernel) { return seconds_of(kernel, canonical, gpu); }, schedule);
}

/// Fastest first.
template <class Schedule>
std::vector<Schedule> by_seconds(const std::vector<Schedule>& schedules, const CanonicalGemm& canonical,
                                 const target::Gpu& gpu) {
    std::vector<std::pair<double, const Schedule*>> rated;
    for (const Schedule& schedule : schedules)
        rated.emplace_back(seconds_of(schedule, canonical, gpu), &schedule);
    std::ranges::stable_sort(rated, {}, &std::pair<double, const Schedule*>::first);
    std::vector<Schedule> result;
    for (const auto& [seconds, schedule] : rated) result.push_back(*schedule);
    return result;
}

} // namespace

double gpu_seconds(const MatrixProduct& product, const GpuGemmSchedule& schedule, const target::Gpu& gpu) {
    return seconds_of(schedule, canonical_for_gpu(product), gpu);
}

std::vector<GpuGemmSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu,
                                           std::size_t most, Accuracy accuracy) {
    const CanonicalGemm canonical = canonical_for_gpu(product);
    const bool is_empty = product.rows == 0 || product.columns == 0 || product.batch == 0;
    std::vector<WgmmaGemm> wgmma;
    if (!is_empty) wgmma = wgmma_schedules(canonical, gpu, accuracy);
    std::vector<GpuGemmSchedule> all(wgmma.begin(), wgmma.end());
    const bool has_wgmma = !all.empty();
    if (!has_wgmma || product.type_of_a() != DataType::float8_e4m3) {
        require_gpu_data_types(product, gpu);
        if (is_empty) return {};
        for (const SimtGemm& schedule : simt_candidates(canonical, gpu)) all.push_back(schedule);
        for (const BatchedGemm& schedule : batched_schedules(canonical, gpu)) all.push_back(schedule);
    }
    std::vector<GpuGemmSchedule> result = by_seconds(all, canonical, gpu);
    result.resize(std::min(most, result.size()));
    return result;
}

SimtGemm simt_schedule(const MatrixProduct& product, const target::Gpu& gpu, bool in_one_kernel) {
    require_gpu_data_types(product, gpu);
    const CanonicalGemm canonical = canonical_for_gpu(product);
    std::vector<SimtGemm> all = simt_candidates(canonical, gpu);
    if (in_one_kernel) std::erase_if(all, [](const SimtGemm& one) { return one.stream_k() != nullptr; });
    ensure(!all.empty(), "the model knows no schedule of threads");
    return by_seconds(all, canonical, gpu).front();
}

SimtGemm gpu_single_element_schedule(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu) {
    const auto* const simt = std::get_if<SimtGemm>(&schedule);
    SimtGemm result = simt != nullptr ? *simt : simt_schedule(product, gpu);
    for (SimtOperand* const operand : {&result.a, &result.b})
        *operand = {.load =
                        operand->load == OperandLoad::global ? OperandLoad::global : OperandLoad::cp_async};
    result.c_vector_m = 1;
    return result;
}

} // namespace swirl::gemm
