#include "gemm/schedule.hpp"

#include "base/integer.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

/// What two thirds of the nearest cache hold, a panel of B beside the panel of A that passes by; and the depth from which on
/// C is updated seldom enough.
constexpr Integer panel_bytes = 32 << 10, deepest = 512;

/// Packed blocks of B lie in the cache that cores share, a part of which is a core's.
constexpr Integer columns_bytes = 8 << 20;

Integer round_down(Integer value, Integer step) { return std::max(step, value / step * step); }

/// The fewest loads for each multiply-add that the registers allow: a vector of A and a number of B a step.
Tile widest_tile(Number number, const target::Cpu& cpu) {
    const int parts = scalars_in(number);
    Tile best{target::lanes(cpu, scalar_of(number)), 1, 1};
    const auto loads = [&](const Tile& tile) {
        return static_cast<double>(tile.vectors + tile.columns) / (parts * tile.vectors * tile.columns);
    };
    for (int columns = 1; columns <= 8; columns *= 2)
        for (int vectors = 1; vectors <= 4; ++vectors) {
            const Tile tile{best.lanes, vectors, columns};
            const int registers = parts * vectors * columns + parts * vectors + 1;
            if (registers <= cpu.vector_registers && loads(tile) < loads(best)) best = tile;
        }
    return best;
}

} // namespace

Integer balanced_block(Integer extent, Integer most, Integer step) {
    const Integer blocks = ceil_divide(extent, most);
    return ceil_divide(ceil_divide(extent, blocks), step) * step;
}

Schedule model_schedule(Number number, const target::Cpu& cpu) {
    Schedule schedule;
    schedule.tile = widest_tile(number, cpu);
    const Integer bytes = bytes_of(number);
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, 256 << 10);
    schedule.block_depth =
        round_down(std::min(deepest, panel_bytes / (schedule.tile.columns * bytes)), 8 * schedule.unroll);
    schedule.block_rows = round_down(outer_cache / 2 / (schedule.block_depth * bytes), schedule.tile.rows());
    schedule.block_columns =
        round_down(columns_bytes / (schedule.block_depth * bytes), schedule.tile.columns);
    return schedule;
}

} // namespace swirl::gemm
