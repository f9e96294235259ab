#include "gemm/gpu_balance.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <cmath>

namespace swirl::gemm {

namespace {

/// Bytes of A and B that blocks which are there at once read for each step along the depth, each byte once. They have tiles of a
/// group of rows; beyond one product, all of its rows and columns.
double bytes_of_wave(const MatrixProduct& oriented, const GpuSchedule& schedule, double tiles) {
    const double row_tiles = static_cast<double>(ceil_divide(oriented.rows, Integer{schedule.block_rows}));
    const double column_tiles =
        static_cast<double>(ceil_divide(oriented.columns, Integer{schedule.block_columns}));
    const double products = std::max(1.0, tiles / (row_tiles * column_tiles)) * schedule.matrices;
    double rows = std::min({static_cast<double>(schedule.group), row_tiles, tiles});
    const double columns = std::min(column_tiles, std::ceil(tiles / rows));
    rows = std::clamp(std::ceil(tiles / columns), rows, row_tiles);
    return products * (rows * schedule.block_rows + columns * schedule.block_columns) *
           static_cast<double>(bytes_of(oriented.number));
}

} // namespace

GpuBalance gpu_balance(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                       int registers) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    const GpuRates rates = gpu_rates(gpu);
    const Integer bytes = bytes_of(product.number), threads = schedule.threads();
    const Integer tile = Integer{schedule.block_rows} * schedule.block_columns;
    GpuBalance result;
    result.piece_bytes = Integer{schedule.matrices} * schedule.block_depth *
                         (schedule.block_rows * bytes_of(oriented.number_of_a()) +
                          schedule.block_columns * bytes_of(oriented.number_of_b()));
    result.piece_multiply_adds = schedule.matrices * tile * schedule.block_depth;
    // A lane of float64 counts as two: of these a multiprocessor has half as many units.
    result.peak = 2 * rates.multiprocessors * gpu.partitions * gpu.warp_size * rates.hertz /
                  (static_cast<double>(bytes) / 4);
    if (schedule.warp_depth > 0) result.peak *= warp_speedup(product.number); // by the tensor cores
    result.cache_needed = result.peak / result.flops_per_byte();
    result.cache_given = rates.cache;
    result.memory_given = rates.memory;

    const Integer most = std::min<Integer>(gpu.registers_per_thread, gpu.registers_per_block / threads);
    const Integer expected = std::min<Integer>(gpu_registers(schedule, product.number), most);
    result.registers = registers > 0 ? registers : static_cast<int>(expected);
    result.shared_bytes = shared_bytes(schedule, product);
    result.occupancy =
        target::occupancy(gpu, static_cast<int>(threads), result.registers, result.shared_bytes);

    result.blocks = ceil_divide(oriented.rows, Integer{schedule.block_rows}) *
                    ceil_divide(oriented.columns, Integer{schedule.block_columns}) *
                    ceil_divide(oriented.batch, Integer{schedule.matrices}) * schedule.splits;
    if (schedule.streams()) {
        result.stream = stream_of(schedule, oriented);
        result.blocks = result.stream->blocks;
    }
    result.blocks_at_once =
        static_cast<Integer>(rates.multiprocessors) * std::max(1, result.occupancy.blocks);
    result.waves = ceil_divide(result.blocks, result.blocks_at_once);
    result.last_wave = static_cast<double>(result.blocks - (result.waves - 1) * result.blocks_at_once) /
                       static_cast<double>(result.blocks_at_once);
    const double tiles =
        static_cast<double>(std::min(result.blocks, result.blocks_at_once)) / schedule.splits;
    const double flops = 2 * tiles * static_cast<double>(schedule.matrices * tile); // of a step
    result.memory_needed = result.peak * bytes_of_wave(oriented, schedule, tiles) / flops;
    return result;
}

} // namespace swirl::gemm
