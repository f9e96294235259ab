#include "gemm/gpu_reduction_model.hpp"

#include "gemm/gpu_block_reductions.hpp"
#include "gemm/gpu_tile_reductions.hpp"
#include "gemm/tile.hpp"

#include <cmath>

namespace swirl::gemm {

namespace {

/// Cycles, unless it says otherwise.
struct Constants {
    double sum = 1;     ///< of a scheduler, for a number that a warp takes
    double extreme = 6; ///< likewise; one instruction of tiles
    double exchange =
        450; ///< of a block, of four numbers of each thread: two meetings, and what the first thread adds up
    double kernel = 2.5e-6;  ///< seconds, of a kernel behind the product
    double turn = 5e-7;      ///< seconds, for each part after the other that one of its threads takes
    double part_rate = 3e12; ///< bytes a second, of parts that are written and read
};
constexpr Constants constants;
constexpr double schedulers = 4, warp = 32, exchanged_at_once = 4;

/// Cycles of a tile.
double cycles_of_tile(const GpuSchedule& schedule, const Reduction& reduction, Over over) {
    const bool is_sum = reduction.operation == Reduce::sum;
    const double numbers =
        static_cast<double>(schedule.matrices) * schedule.block_rows * schedule.block_columns / warp;
    if (schedule.has_tiles()) return numbers / schedulers * 2 * constants.sum;
    const double kept = over == Over::columns ? schedule.thread_rows
                        : over == Over::rows  ? schedule.thread_columns
                                              : 2;
    return numbers / schedulers * (is_sum ? constants.sum : constants.extreme) +
           std::ceil(kept / exchanged_at_once) * constants.exchange;
}

double seconds_behind(const GpuResultParts& parts, double bytes_of_number) {
    if (parts.are_results() || parts.results == 0) return 0;
    const double turns =
        std::ceil(static_cast<double>(parts.parts) / static_cast<double>(threads_of_result(parts)));
    const double bytes = 2 * static_cast<double>(parts.results * parts.parts) * bytes_of_number;
    return constants.kernel + turns * constants.turn + bytes / constants.part_rate;
}

} // namespace

GpuResultParts gpu_result_parts(const GpuSchedule& schedule, const MatrixProduct& oriented, Over over) {
    return schedule.has_tiles() ? GpuTileReductions::parts_of(schedule, oriented, over)
                                : GpuBlockReductions::parts_of(schedule, oriented, over);
}

double gpu_reduction_seconds(const MatrixProduct& product, const GpuSchedule& schedule,
                             const GpuRates& rates) {
    const GpuOrientation orientation = oriented_for_gpu(product);
    const MatrixProduct& oriented = orientation.product;
    const Integer tiles = ceil_divide(oriented.rows, Integer{schedule.block_rows}) *
                          ceil_divide(oriented.columns, Integer{schedule.block_columns}) *
                          ceil_divide(oriented.batch, Integer{schedule.matrices}) * schedule.splits;
    const double turns = std::ceil(static_cast<double>(tiles) / rates.multiprocessors);
    double result = 0;
    for (const Reduction& reduction : oriented.reductions) {
        const Over over = orientation.is_turned ? turned(reduction.over) : reduction.over;
        result += turns * cycles_of_tile(schedule, reduction, over) / rates.hertz +
                  seconds_behind(gpu_result_parts(schedule, oriented, over),
                                 static_cast<double>(ir::size_in_bytes(scalar_of(oriented.number))));
    }
    return result;
}

} // namespace swirl::gemm
