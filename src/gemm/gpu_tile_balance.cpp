#include "gemm/gpu_tile_balance.hpp"

#include "gemm/gpu_model.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_model.hpp"
#include "gemm/gpu_tile_product.hpp"
#include "gemm/tile.hpp"
#include "target/gpu_tiles.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

constexpr double shared_bytes_of_cycle = 128;

GpuTileBalance::Factor factor_of(const GpuTileFactor& factor, bool by_registers) {
    GpuTileBalance::Factor result;
    result.scalar = factor.scalar;
    result.loads = std::ssize(factor.loads());
    result.shares = factor.shares;
    result.box_bytes =
        factor.scalars() * size_in_bytes(factor.scalar) / factor.shares / std::max<Integer>(result.loads, 1);
    result.along_depth = factor.layout.along_depth;
    result.by_registers = by_registers;
    return result;
}

/// What tile_products of all warpgroups read for a piece.
double bytes_read(const GpuTileBalance& balance, const GpuSchedule& schedule) {
    const ir::TileInstruction& entry = *balance.instruction;
    const int lines = entry.columns + (balance.a.by_registers ? 0 : entry.rows);
    return static_cast<double>(schedule.warpgroups * balance.tile_products) * lines * entry.depth *
           size_in_bytes(balance.a.scalar);
}

void add_tiles(GpuTileBalance& balance, const MatrixProduct& oriented, const GpuSchedule& schedule,
               const target::Gpu& gpu) {
    const Integer cluster = Integer{schedule.cluster_rows} * schedule.cluster_columns;
    const Integer teams =
        ceil_divide(oriented.rows, Integer{schedule.block_rows} * schedule.cluster_rows) *
        ceil_divide(oriented.columns, Integer{schedule.block_columns} * schedule.cluster_columns) *
        oriented.batch;
    const auto multiprocessors = static_cast<Integer>(gpu_rates(gpu).multiprocessors);
    balance.tiles = teams * cluster;
    balance.blocks = std::min(teams, std::max<Integer>(1, multiprocessors / cluster)) * cluster;
    balance.waves = ceil_divide(balance.tiles, balance.blocks);
    balance.last_wave = static_cast<double>(balance.tiles - (balance.waves - 1) * balance.blocks) /
                        static_cast<double>(balance.blocks);
}

} // namespace

GpuTileBalance gpu_tile_balance(const MatrixProduct& product, const GpuSchedule& schedule,
                                const target::Gpu& gpu) {
    const MatrixProduct oriented = oriented_for_gpu(product).product;
    const std::array<GpuTileFactor, 2> factors = tile_factors(schedule, oriented);
    const bool by_registers = has_fragments(schedule, oriented);
    GpuTileBalance result;
    result.b = factor_of(factors[0], false);
    result.a = factor_of(factors[1], by_registers);
    result.instruction = &target::tile_product_of(
        factors[0].scalar, by_registers ? schedule.block_columns : schedule.block_rows);
    result.piece_flops = Integer{2} * schedule.block_rows * schedule.block_columns * schedule.block_depth;
    result.tile_products = result.piece_flops / schedule.warpgroups / result.instruction->flops();
    result.piece_bytes = result.a.loads * result.a.box_bytes + result.b.loads * result.b.box_bytes;
    const Integer products = schedule.has_terms() ? std::ssize(products_of_terms(schedule.terms)) : 1;
    result.pieces = ceil_divide(oriented.depth, Integer{schedule.block_depth}) * products;
    const GpuRates rates = gpu_rates(gpu);
    const GpuTileRates tile_rates = gpu_tile_rates(bytes_of_factor(schedule, oriented));
    result.peak = rates.multiprocessors * rates.hertz * tile_rates.flops;
    result.tensor_cycles = static_cast<double>(result.piece_flops) / tile_rates.flops;
    result.shared_cycles = bytes_read(result, schedule) / shared_bytes_of_cycle;
    result.load_cycles = static_cast<double>(result.piece_bytes) / tile_rates.loaded_bytes;
    result.registers_to_multiply = registers_to_multiply(schedule);
    result.registers_to_fetch = registers_to_fetch(schedule);
    result.threads = (schedule.warpgroups + 1) * warpgroup_threads;
    result.shared_bytes = tile_shared_bytes(schedule, oriented);
    result.sums = Integer{schedule.block_rows} * schedule.block_columns /
                  (schedule.warpgroups * warpgroup_threads) * (schedule.has_sums() ? 2 : 1);
    add_tiles(result, oriented, schedule, gpu);
    return result;
}

} // namespace swirl::gemm
