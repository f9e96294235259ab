#include "gemm/schedule.hpp"

#include "base/integer.hpp"
#include "gemm/pack.hpp"

#include <algorithm>
#include <bit>

namespace swirl::gemm {

namespace {

/// What two thirds of the nearest cache hold, a panel of B beside the panel of A that passes by; and the depth from which on
/// C is updated seldom enough.
constexpr Integer panel_bytes = 32 << 10, deepest = 512;

/// Packed blocks of B lie in the cache that cores share, a part of which is a core's.
constexpr Integer columns_bytes = 8 << 20;

/// Cycles from a multiply-add to the next of its chain, and what begins in a cycle: multiply-adds of vectors, loads, and bytes
/// from a core's own outer cache.
constexpr double latency = 4, multiply_adds = 2, loads = 2, outer_bytes = 32;
/// The parts of the time for loads, and for what comes from the outer cache, that multiply-adds do not hide.
constexpr double exposed_loads = 0.1, exposed_outer = 0.05;
/// Cycles for packing as many scalars of B as are moved together, and how many rows they are usually multiplied with.
constexpr double packing = 1, usual_rows = 500;
/// Multiply-adds of vectors in an iteration of a tile's loop: enough that the loop does not count.
constexpr int iteration = 96, most_unroll = 4;
constexpr int most_vectors = 4, most_columns = 16;

Integer round_down(Integer value, Integer step) { return std::max(step, value / step * step); }

/// Panels of groups of steps, and of numbers that are widened, are packed by whole vectors or halves of them.
bool can_be_packed(const Numbers& numbers, int columns) {
    const bool is_plain = numbers.grouping.is_plain() && numbers.a == numbers.c && numbers.b == numbers.c;
    return is_plain || (columns <= 8 && std::has_single_bit(static_cast<unsigned>(columns)));
}

/// The tile whose steps take the fewest cycles for what they do.
Tile fastest_tile(const Numbers& numbers, const target::Cpu& cpu) {
    Tile best{target::lanes(cpu, scalar_of(numbers.c)), 1, 1};
    for (int columns = 1; columns <= most_columns; ++columns)
        for (int vectors = 1; vectors <= most_vectors; ++vectors) {
            const Tile tile{best.lanes, vectors, columns};
            if (can_be_packed(numbers, columns) && fits_registers(numbers, tile, cpu) &&
                cycles_of_step(numbers, tile, cpu) < cycles_of_step(numbers, best, cpu))
                best = tile;
        }
    return best;
}

} // namespace

Integer balanced_block(Integer extent, Integer most, Integer step) {
    const Integer blocks = ceil_divide(extent, most);
    return ceil_divide(ceil_divide(extent, blocks), step) * step;
}

Blocks blocks_of(const Schedule& schedule, Integer rows, Integer depth, Integer columns,
                 Integer block_depth) {
    const auto most = [&](Integer extent) {
        return std::clamp<Integer>(extent * schedule.block_depth / block_depth, 1, extent);
    };
    return {.rows = balanced_block(rows, most(schedule.block_rows), schedule.tile.rows()),
            .depth = std::min(block_depth, depth),
            .columns = balanced_block(columns, most(schedule.block_columns), schedule.tile.columns)};
}

bool fits_registers(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu) {
    const int parts = scalars_in(numbers.c);
    // A number of B, and products on their way to sums.
    const int others = cpu.has_fma ? (numbers.grouping.method == Method::int16_pairs ? 2 : 1) : 3;
    return parts * tile.vectors * tile.columns + parts * tile.vectors + others <= cpu.vector_registers;
}

double cycles_of_step(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu) {
    const double parts = scalars_in(numbers.c);
    const double work = parts * parts * tile.vectors * tile.columns;
    const double loaded = parts * (tile.vectors + tile.columns) / loads;
    const double from_outer = parts * tile.vectors * cpu.vector_bytes / outer_bytes;
    const double cycles = std::max({work / multiply_adds, parts * latency, loaded, from_outer});
    const int together = panel_lanes({.lanes = tile.lanes, .width = tile.columns});
    const double packed = packing * parts * tile.columns / together;
    const double tiles = usual_rows / tile.rows();
    return (cycles + exposed_loads * loaded + exposed_outer * from_outer + packed / tiles) / work;
}

Schedule model_schedule_of(const Numbers& numbers, const Tile& tile, const target::Cpu& cpu) {
    Schedule schedule;
    schedule.tile = tile;
    const int work = scalars_in(numbers.c) * scalars_in(numbers.c) * tile.vectors * tile.columns;
    schedule.unroll = std::clamp(iteration / work, 1, most_unroll);
    const Integer group = numbers.grouping.group(), bytes = numbers.panel_bytes(); // of a group
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, 256 << 10);
    const Integer groups =
        round_down(std::min(deepest, panel_bytes / (schedule.tile.columns * bytes)), 8 * schedule.unroll);
    schedule.block_depth = groups * group;
    schedule.block_rows = round_down(outer_cache / 2 / (groups * bytes), schedule.tile.rows());
    schedule.block_columns = round_down(columns_bytes / (groups * bytes), schedule.tile.columns);
    return schedule;
}

Schedule model_schedule(const Numbers& numbers, const target::Cpu& cpu) {
    return model_schedule_of(numbers, fastest_tile(numbers, cpu), cpu);
}

} // namespace swirl::gemm
