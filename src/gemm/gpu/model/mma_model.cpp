// A warp's steps along K wait for each other; the resources that a multiprocessor's warps share each take some time.
#include "gemm/gpu/model/mma_model.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"
#include "gemm/gpu/simt/kernel.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::gemm {

namespace {

constexpr MmaConstants constants_of_float64{.launch = 396.7,
                                            .block = 1762,
                                            .barrier = 23.79,
                                            .step_latency = 10.46,
                                            .mma = 0.8712,
                                            .load_issue = 1.347,
                                            .move_issue = 0.5,
                                            .copy_issue = 2.682,
                                            .shared_bytes = 95.14,
                                            .copy_pass = 8.7,
                                            .sector = 0.3089,
                                            .first_sector = 0.3787,
                                            .arrival = 644.6,
                                            .store = 39.87,
                                            .slices = 65.9,
                                            .exchange_bytes = 32.57,
                                            .pair = 2181,
                                            .cluster = 773.6,
                                            .group = 6454,
                                            .added_split = 36.12,
                                            .traffic = 2400,
                                            .memory = 3877,
                                            .overlap = 2.901};
constexpr MmaConstants constants_of_half_precision{.launch = 744.7,
                                                   .block = 1491,
                                                   .barrier = 21.59,
                                                   .step_latency = 13.38,
                                                   .mma = 0.9313,
                                                   .load_issue = 3.236,
                                                   .move_issue = 0.8238,
                                                   .copy_issue = 5.704,
                                                   .shared_bytes = 55.74,
                                                   .copy_pass = 3.747,
                                                   .sector = 0.7165,
                                                   .first_sector = 1.391,
                                                   .arrival = 417.7,
                                                   .store = 21.22,
                                                   .slices = 90.53,
                                                   .exchange_bytes = 85.63,
                                                   .pair = 1878,
                                                   .cluster = 1021,
                                                   .group = 6963,
                                                   .added_split = 34.03,
                                                   .traffic = 3541,
                                                   .memory = 915.1,
                                                   .overlap = 2.001};

constexpr double mma_schedulers = 4; ///< of a multiprocessor
constexpr double sector_bytes = 32;
constexpr double float64_fmas = 128; ///< of tensor cores, per multiprocessor and cycle
constexpr double half_precision_fmas = 1024;

double fmas_per_cycle(DataType data_type) {
    return data_type == DataType::float64 ? float64_fmas : half_precision_fmas;
}

/// Loads from shared memory and moves of a thread in one step, for `extent` rows or columns.
struct StepAccesses {
    double loads = 0;
    double moves = 0;
};
StepAccesses accesses_of(double extent, bool is_k_major, int vector_mn, int k_run, int k_per_thread,
                         bool is_short) {
    const double elements = extent * k_per_thread;
    if (is_k_major) return {elements / k_run, 0};
    return {elements / vector_mn, is_short ? elements / 2 : 0};
}

/// Sectors of 32 bytes that a k-tile's copies read: ranges that need not begin at one touch one more.
double sectors_of(const SmemTile& k_tile, Integer other_stride) {
    const bool along_k = k_tile.is_smem_k_major() || k_tile.k_major;
    const double range = static_cast<double>((k_tile.is_smem_k_major() ? k_tile.k
                                              : k_tile.k_major         ? k_tile.copy_k
                                                                       : k_tile.extent) *
                                             bytes_of(k_tile.data_type));
    const double ranges = static_cast<double>(k_tile.extent * k_tile.k * bytes_of(k_tile.data_type)) / range;
    const bool is_aligned =
        other_stride * bytes_of(k_tile.data_type) % static_cast<Integer>(sector_bytes) == 0 &&
        (along_k || std::fmod(range, sector_bytes) == 0);
    return ranges * (std::ceil(range / sector_bytes) + (is_aligned ? 0 : 1));
}

} // namespace

const MmaConstants& mma_constants(DataType data_type) {
    return data_type == DataType::float64 ? constants_of_float64 : constants_of_half_precision;
}

MmaFeatures mma_features(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    const MatrixProduct& product = gemm.product();
    const SimtGemm& schedule = gemm.schedule;
    const auto real = [](auto value) { return static_cast<double>(value); };
    const bool is_short = product.data_type != DataType::float64;
    const int k_run = SimtThreadLayout::fragment_k_run_of(schedule, product.data_type);
    MmaFeatures f;
    f.blocks = real(ceil_divide(product.rows, Integer{schedule.cta_tile.m})) *
               real(ceil_divide(product.columns, Integer{schedule.cta_tile.n})) * schedule.splits() *
               real(ceil_divide(product.batch, Integer{schedule.matrices()}));
    f.k_tiles = real(ceil_divide(product.k, Integer{schedule.cta_tile.k} * schedule.splits()));
    if (schedule.stream_k() != nullptr) {
        const StreamKPartition stream = stream_k_of(schedule, product);
        f.blocks = schedule.stream_k()->blocks;
        f.k_tiles = real(stream.k_tiles_of_block());
        f.tiles = real(stream.tiles_of_block());
    }
    f.each = std::ceil(f.blocks / model_rates(gpu).multiprocessors);
    f.resident = std::min<double>(gpu_resident_blocks(gemm, gpu), f.each);
    f.warps = schedule.threads() / real(gpu.warp_size);
    f.steps = real(schedule.cta_tile.k) / schedule.sliced_k / schedule.mma_k();
    const double outputs = real(schedule.thread_tile.m) * schedule.thread_tile.n * gpu.warp_size;
    f.step_cycles = outputs * schedule.mma_k() / (fmas_per_cycle(product.data_type) / mma_schedulers);
    const int k_per_thread = schedule.mma_k() / schedule.warp_lanes().n;
    const auto [a_loads, a_moves] =
        accesses_of(schedule.thread_tile.m, schedule.a.vector_k > 1,
                    SimtThreadLayout::vector_of(product.data_type, schedule.thread_tile.m), k_run,
                    k_per_thread, is_short);
    const auto [b_loads, b_moves] = accesses_of(
        schedule.thread_tile.n / 2.0, schedule.b.vector_k > 1,
        SimtThreadLayout::fragment_columns_of(schedule, product.data_type), k_run, k_per_thread, is_short);
    f.step_loads = a_loads + b_loads;
    f.step_moves = a_moves + b_moves;
    const double element = real(bytes_of(product.type_of_a()));
    f.shared_bytes =
        f.warps * f.steps * schedule.mma_k() * element *
        (schedule.thread_tile.m * schedule.warp_lanes().m + schedule.thread_tile.n * schedule.warp_lanes().n);
    const Integer strides[] = {product.a.row_stride == 1 ? product.a.column_stride : product.a.row_stride,
                               product.b.column_stride == 1 ? product.b.row_stride : product.b.column_stride};
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const SmemTile& k_tile = gemm.k_tiles[operand];
        f.copies +=
            real(schedule.matrices() * k_tile.extent * k_tile.k) / gpu.warp_size / k_tile.elements_of_copy();
        f.sectors += schedule.matrices() * sectors_of(k_tile, strides[operand]);
    }
    f.stages = schedule.stages;
    f.stores = real(schedule.thread_tile.m) * schedule.thread_tile.n / schedule.c_vector_m;
    f.tile_bytes = real(schedule.matrices()) * schedule.cta_tile.m * schedule.cta_tile.n *
                   real(bytes_of(product.data_type));
    f.slices = schedule.sliced_k;
    f.splits = schedule.splits();
    f.in_workspace = schedule.splits_in_workspace() ? 1 : 0;
    f.once_bytes = real(product.batch) *
                   (real(product.rows * product.k) * element + real(product.k * product.columns) * element +
                    real(product.rows * product.columns * bytes_of(product.type_of_c())));
    constexpr double kept = 0.5; ///< of L2: each half of it serves half of the multiprocessors
    f.far_bytes = std::max(0.0, f.once_bytes - kept * real(gpu.l2_bytes));
    return f;
}

double mma_cycles(const MmaFeatures& f, const MmaConstants& c) {
    if (f.resident < 1) return INFINITY;
    const double waves = std::ceil(f.each / f.resident);
    const double step = f.step_cycles * c.mma + f.step_loads * c.load_issue + f.step_moves * c.move_issue;
    const double copies = f.copies * c.copy_issue / mma_schedulers;
    // One block: its warps' steps, of which the schedulers' warps take turns.
    const double alone =
        f.steps * std::max(c.step_latency + step, step * std::max(1.0, f.warps / mma_schedulers)) + copies +
        c.barrier;
    // As many k-tiles as are in flight arrive together; their successors' copies are issued when they have arrived.
    const double in_flight = f.stages - 1,
                 rounds = std::ceil(std::max(0.0, f.k_tiles - in_flight) / in_flight);
    const double terms[] = {
        waves * (f.k_tiles * alone + rounds * std::max(0.0, c.arrival - in_flight * alone)),
        f.each * f.k_tiles * (f.steps * step * f.warps / mma_schedulers + copies),
        f.each * f.k_tiles * (f.shared_bytes / c.shared_bytes + f.copies * c.copy_pass),
        f.each * f.k_tiles * f.sectors * c.sector,
        f.once_bytes / c.traffic + f.far_bytes / c.memory,
    };
    double sum = 0;
    for (const double term : terms) sum += std::pow(term, c.overlap);
    const double slices = f.slices == 1 ? 0 : c.slices + f.tile_bytes * (f.slices - 1) / c.exchange_bytes;
    double splits = 0;
    if (f.splits > 1)
        splits =
            (f.in_workspace > 0 ? c.group + f.splits * c.added_split : c.pair + (f.splits - 2) * c.cluster) +
            2 * f.tile_bytes / c.exchange_bytes;
    const double around =
        c.block + f.resident * f.sectors * c.first_sector + f.stores / f.splits * c.store + slices;
    return c.launch + std::pow(sum, 1 / c.overlap) + waves * f.tiles * around + splits;
}

double mma_seconds(const CanonicalSimtGemm& gemm, const target::Gpu& gpu) {
    return mma_cycles(mma_features(gemm, gpu), mma_constants(gemm.product().data_type)) /
           model_rates(gpu).hertz;
}

} // namespace swirl::gemm
