#include "gemm/gpu/model/reduction_model.hpp"

#include "gemm/gpu/epilogue/block_reductions.hpp"
#include "gemm/gpu/epilogue/wgmma_reductions.hpp"
#include "gemm/scalar.hpp"

#include <cmath>

namespace swirl::gemm {

namespace {

/// In cycles unless stated otherwise.
struct ReductionConstants {
    double sum = 1;     ///< of a scheduler, per value of a warp
    double extreme = 6; ///< likewise; a single instruction in wgmma kernels
    double exchange =
        450; ///< of a block, per four values of each thread: two barriers, and the first thread's reduction
    double kernel = 2.5e-6;     ///< seconds, of a reduction kernel
    double partial_read = 5e-7; ///< seconds, per partial that one of its threads reads in sequence
    double partial_rate = 3e12; ///< bytes per second of partials written and read
};
constexpr ReductionConstants reduction_constants;
constexpr double schedulers = 4, warp = 32;

/// Cycles per tile.
double cycles_of_tile(const WgmmaGemm& schedule, const Reduction&, Over) {
    const double elements = static_cast<double>(schedule.cta_tile.m) * schedule.cta_tile.n / warp;
    return elements / schedulers * 2 * reduction_constants.sum;
}
double cycles_of_tile(const SimtGemm& schedule, const Reduction& reduction, Over over) {
    const bool is_sum = reduction.operation == Reduce::sum;
    const double elements =
        static_cast<double>(schedule.matrices()) * schedule.cta_tile.m * schedule.cta_tile.n / warp;
    const double kept = over == Over::columns ? schedule.thread_tile.m
                        : over == Over::rows  ? schedule.thread_tile.n
                                              : 2;
    return elements / schedulers * (is_sum ? reduction_constants.sum : reduction_constants.extreme) +
           std::ceil(kept / exchanged_at_once) * reduction_constants.exchange;
}

double seconds_behind(const ReductionPartials& partials, double element_bytes) {
    if (partials.are_results() || partials.results == 0) return 0;
    const double reads =
        std::ceil(static_cast<double>(partials.partials) / static_cast<double>(threads_of_result(partials)));
    const double bytes = 2 * static_cast<double>(partials.results * partials.partials) * element_bytes;
    return reduction_constants.kernel + reads * reduction_constants.partial_read +
           bytes / reduction_constants.partial_rate;
}

/// Matrices of a batch per block, and blocks per tile.
struct BlocksOfTile {
    Integer matrices = 1, splits = 1;
};
BlocksOfTile blocks_of_tile(const SimtGemm& schedule) { return {schedule.matrices(), schedule.splits()}; }
BlocksOfTile blocks_of_tile(const WgmmaGemm&) { return {}; }

template <class Gemm> double reduction_seconds(const Gemm& gemm, const ModelRates& rates) {
    const MatrixProduct& canonical = gemm.product();
    const auto [matrices, splits] = blocks_of_tile(gemm.schedule);
    const Integer tiles = ceil_divide(canonical.rows, Integer{gemm.schedule.cta_tile.m}) *
                          ceil_divide(canonical.columns, Integer{gemm.schedule.cta_tile.n}) *
                          ceil_divide(canonical.batch, matrices) * splits;
    const double waves = std::ceil(static_cast<double>(tiles) / rates.multiprocessors);
    double result = 0;
    for (const Reduction& reduction : canonical.reductions) {
        const Over over = gemm.canonical.is_swapped ? transposed(reduction.over) : reduction.over;
        result += waves * cycles_of_tile(gemm.schedule, reduction, over) / rates.hertz +
                  seconds_behind(reduction_partials_of(gemm, over),
                                 static_cast<double>(bytes_of(scalar_of(canonical.data_type))));
    }
    return result;
}

} // namespace

ReductionPartials reduction_partials_of(const CanonicalSimtGemm& gemm, Over over) {
    return GpuBlockReductions::partials_of(gemm.schedule, gemm.product(), over);
}
ReductionPartials reduction_partials_of(const CanonicalWgmmaGemm& gemm, Over over) {
    return WgmmaReductions::partials_of(gemm, over);
}

double gpu_reduction_seconds(const CanonicalSimtGemm& gemm, const ModelRates& rates) {
    return reduction_seconds(gemm, rates);
}
double gpu_reduction_seconds(const CanonicalWgmmaGemm& gemm, const ModelRates& rates) {
    return reduction_seconds(gemm, rates);
}

} // namespace swirl::gemm
