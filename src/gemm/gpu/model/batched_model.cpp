// Time of a block's matrices: the copies' latency, which resident blocks hide, instructions, and shared memory.
#include "gemm/gpu/model/batched_model.hpp"

#include "gemm/gpu/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace swirl::gemm {

namespace {

/// In cycles unless stated otherwise; fitted to some 500 schedules of batches of 5 × 5 to 128 × 128 matrices.
struct BatchedConstants {
    double launch = 240;       ///< before the first block starts and after the last one ends
    double latency = 4740;     ///< of a block: copies to shared memory, barriers, stores
    double load_pass = 0.81;   ///< of shared memory, for a warp's load of one element per thread
    double vector_pass = 0.04; ///< for vectors, which adjacent threads share
    double warp_issue = 120;   ///< of a scheduler, per warp
    double move_issue = 47;    ///< of a scheduler, per 16 bytes that a warp's threads copy or store
    double move_pass = 3.8;    ///< of shared memory, likewise per element
    double memory = 1.1;       ///< factor on the rate that SIMT kernels reach
    double overlap = 6;        ///< exponent: of memory traffic, issue and shared memory
};
constexpr BatchedConstants batched_constants;

constexpr Integer max_batched_extent = 128; ///< of matrices for which the model considers such kernels
constexpr int max_tile_elements = 64;       ///< more spill, or leave few threads
constexpr int batched_tile_extents[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
constexpr int batched_threads[] = {64, 128, 256};
constexpr int min_batch_blocks = 2; ///< per multiprocessor: fewer leave latencies exposed

double combined(double a, double b, double c) {
    return std::pow(std::pow(a, batched_constants.overlap) + std::pow(b, batched_constants.overlap) +
                        std::pow(c, batched_constants.overlap),
                    1 / batched_constants.overlap);
}

/// Fraction of the threads' accumulators that are C's.
double fraction_used(const CanonicalBatchedGemm& gemm) {
    const MatrixProduct& product = gemm.product();
    const double held =
        static_cast<double>(gemm.threads()) * gemm.schedule.thread_tile.m * gemm.schedule.thread_tile.n;
    return static_cast<double>(product.rows * product.columns * gemm.schedule.matrices) / held;
}

/// Further cycles of a load whose threads read `distinct` rows (columns) along K, of which several begin in one bank.
double conflicts(const MatrixRange& range, double distinct, const target::Gpu& gpu) {
    if (!range.is_along_k) return 0;
    const Integer banks = gpu.shared_banks;
    const double starts = static_cast<double>(banks / std::gcd(range.mn_stride, banks));
    return std::max(0.0, distinct / starts - 1);
}

} // namespace

double batched_seconds(const CanonicalBatchedGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& product = gemm.product();
    const ModelRates rates = model_rates(gpu);
    const Extents& tile = gemm.schedule.thread_tile;
    const int resident =
        target::occupancy(gpu, gemm.threads(), batched_registers(gemm), batched_shared_bytes(gemm)).blocks;
    if (resident == 0) return INFINITY;
    const double words = static_cast<double>(bytes_of(product.data_type)) / 4;
    const double warps = gemm.threads() / gpu.warp_size, k = static_cast<double>(product.k);
    const auto loads = [](const MatrixRange& range, int extent) {
        return static_cast<double>(extent) / range.vector;
    };
    const auto passes = [&](const MatrixRange& range, int extent, double distinct) {
        const double pass = range.vector > 1 ? batched_constants.vector_pass : batched_constants.load_pass;
        return loads(range, extent) * words * (pass + conflicts(range, distinct, gpu));
    };
    const double distinct_n = std::max(1.0, std::min<double>(gpu.warp_size / gemm.lanes.m, gemm.lanes.n)),
                 distinct_m = std::min<double>(gpu.warp_size, gemm.lanes.m);
    const double moved =
        static_cast<double>(gemm.a.all + gemm.b.all + 2 * gemm.c.all) / gemm.a.chunk / gpu.warp_size;
    const double issue =
        (warps * (k * (tile.m * tile.n * words + loads(gemm.a, tile.m) + loads(gemm.b, tile.n)) +
                  batched_constants.warp_issue) +
         moved * batched_constants.move_issue) /
        gpu.partitions;
    const double shared =
        warps * k * (passes(gemm.a, tile.m, distinct_m) + passes(gemm.b, tile.n, distinct_n)) +
        moved * gemm.a.chunk * batched_constants.move_pass;
    const double each = std::ceil(static_cast<double>(gemm.blocks()) / rates.multiprocessors);
    const double bytes = static_cast<double>(gemm.a.all + gemm.b.all + gemm.c.all) *
                         static_cast<double>(bytes_of(product.data_type));
    const double memory =
        bytes * rates.hertz * rates.multiprocessors / (batched_constants.memory * rates.memory);
    const double latency =
        (batched_constants.latency + std::max(issue, shared)) / std::min<double>(resident, each);
    const double of_block = std::max(combined(issue, shared, memory), latency);
    return (batched_constants.launch + batched_constants.latency + each * of_block) / rates.hertz;
}

std::vector<BatchedGemm> batched_schedules(const CanonicalGemm& canonical, const target::Gpu& gpu) {
    const MatrixProduct& product = canonical.product;
    std::vector<BatchedGemm> result;
    if (product.batch < min_batch_blocks * static_cast<Integer>(model_rates(gpu).multiprocessors) ||
        std::max({product.rows, product.columns, product.k}) > max_batched_extent)
        return result;
    for (const int m : batched_tile_extents)
        for (const int n : batched_tile_extents) {
            if (m * n > max_tile_elements) continue;
            BatchedGemm schedule{.thread_tile = {.m = m, .n = n}, .matrices = 1};
            const int threads = CanonicalBatchedGemm(canonical, schedule).matrix_threads();
            int before = 0;
            for (const int wanted : batched_threads) {
                schedule.matrices = static_cast<int>(std::clamp<Integer>(
                    wanted / threads, 1, std::min<Integer>(product.batch, max_parameter)));
                if (schedule.matrices == std::exchange(before, schedule.matrices)) continue;
                const CanonicalBatchedGemm gemm(canonical, schedule);
                constexpr double least_used = 0.6;
                if (fraction_used(gemm) >= least_used && batched_infeasibility(gemm, gpu).empty())
                    result.push_back(schedule);
            }
        }
    return result;
}

} // namespace swirl::gemm
