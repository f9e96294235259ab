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
Tile widest_tile(const Numbers& numbers, const target::Cpu& cpu) {
    const int parts = scalars_in(numbers.c);
    const int of_products = numbers.grouping.method == Method::int16_pairs ? 1 : 0; // before they are added
    Tile best{target::lanes(cpu, scalar_of(numbers.c)), 1, 1};
    const auto loads = [&](const Tile& tile) {
        return static_cast<double>(tile.vectors + tile.columns) / (parts * tile.vectors * tile.columns);
    };
    for (int columns = 1; columns <= 8; columns *= 2)
        for (int vectors = 1; vectors <= 4; ++vectors) {
            const Tile tile{best.lanes, vectors, columns};
            const int registers = parts * vectors * columns + parts * vectors + 1 + of_products;
            if (registers <= cpu.vector_registers && loads(tile) < loads(best)) best = tile;
        }
    return best;
}

} // namespace

Integer balanced_block(Integer extent, Integer most, Integer step) {
    const Integer blocks = ceil_divide(extent, most);
    return ceil_divide(ceil_divide(extent, blocks), step) * step;
}

Schedule model_schedule(const Numbers& numbers, const target::Cpu& cpu) {
    Schedule schedule;
    schedule.tile = widest_tile(numbers, cpu);
    const Integer group = numbers.grouping.group(), bytes = numbers.panel_bytes(); // of a group
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, 256 << 10);
    const Integer groups =
        round_down(std::min(deepest, panel_bytes / (schedule.tile.columns * bytes)), 8 * schedule.unroll);
    schedule.block_depth = groups * group;
    schedule.block_rows = round_down(outer_cache / 2 / (groups * bytes), schedule.tile.rows());
    schedule.block_columns = round_down(columns_bytes / (groups * bytes), schedule.tile.columns);
    return schedule;
}

} // namespace swirl::gemm
