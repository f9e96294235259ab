#include "gemm/cpu/schedule.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/pack.hpp"

#include <algorithm>
#include <bit>

namespace swirl::gemm {

namespace {

/// Two thirds of L1, for a panel of B next to the streaming panel of A; and the K extent beyond which C is updated
/// rarely enough.
constexpr Integer panel_bytes = 32 << 10, deepest = 512;

/// Packed blocks of B live in the shared cache; this is one core's fraction of it.
constexpr Integer columns_bytes = 8 << 20;

/// Latency in cycles of a chained multiply-add; and throughput per cycle: vector multiply-adds, loads, and bytes from
/// a core's own outer cache.
constexpr double latency = 4, multiply_adds = 2, loads = 2, outer_bytes = 32;
/// Fractions of the time for loads, and for transfers from the outer cache, that multiply-adds do not hide.
constexpr double exposed_loads = 0.1, exposed_outer = 0.05;
/// Cycles to pack one vector of scalars of B, and the typical number of rows that reuse it.
constexpr double packing = 1, usual_rows = 500;
/// Vector multiply-adds per iteration of a tile's loop that make loop overhead negligible.
constexpr int iteration = 96, longest_unroll = 4;
constexpr int most_vectors = 4, most_columns = 16;

Integer round_down(Integer value, Integer multiple) {
    return std::max(multiple, value / multiple * multiple);
}

/// The tile with the fewest cycles per multiply-add.
Tile fastest_tile(const OperandTypes& types, const target::Cpu& cpu) {
    Tile best{target::lanes(cpu, scalar_of(types.c)), 1, 1};
    for (int columns = 1; columns <= most_columns; ++columns)
        for (int vectors = 1; vectors <= most_vectors; ++vectors) {
            const Tile tile{best.lanes, vectors, columns};
            if (can_be_packed(types, columns) && fits_registers(types, tile, cpu) &&
                cycles_per_k(types, tile, cpu) < cycles_per_k(types, best, cpu))
                best = tile;
        }
    return best;
}

} // namespace

bool can_be_packed(const OperandTypes& types, int columns) {
    const bool is_plain = types.k_packing.is_plain() && types.a == types.c && types.b == types.c;
    return is_plain || (columns <= 8 && std::has_single_bit(static_cast<unsigned>(columns)));
}

Integer balanced_block(Integer extent, Integer most, Integer multiple) {
    const Integer blocks = ceil_divide(extent, most);
    return ceil_divide(ceil_divide(extent, blocks), multiple) * multiple;
}

BlockSizes blocks_of(const BlockedGemm& schedule, Integer rows, Integer k_extent, Integer columns,
                     Integer kc) {
    const auto most = [&](Integer extent) {
        return std::clamp<Integer>(extent * schedule.kc / kc, 1, extent);
    };
    return {.mc = balanced_block(rows, most(schedule.mc), schedule.tile.rows()),
            .kc = std::min(kc, k_extent),
            .nc = balanced_block(columns, most(schedule.nc), schedule.tile.columns)};
}

bool fits_registers(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu) {
    const int components = scalars_in(types.c);
    // An element of B, and products not yet accumulated.
    const int others = cpu.has_fma ? (types.k_packing.method == Method::int16_pairs ? 2 : 1) : 3;
    return components * tile.vectors * tile.columns + components * tile.vectors + others <=
           cpu.vector_registers;
}

double cycles_per_k(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu) {
    const double components = scalars_in(types.c);
    const double work = components * components * tile.vectors * tile.columns;
    const double loaded = components * (tile.vectors + tile.columns) / loads;
    const double from_outer = components * tile.vectors * cpu.vector_bytes / outer_bytes;
    const double cycles = std::max({work / multiply_adds, components * latency, loaded, from_outer});
    const int lanes = panel_lanes({.lanes = tile.lanes, .width = tile.columns});
    const double packed = packing * components * tile.columns / lanes;
    const double tiles = usual_rows / tile.rows();
    return (cycles + exposed_loads * loaded + exposed_outer * from_outer + packed / tiles) / work;
}

BlockedGemm model_schedule_of(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu) {
    BlockedGemm schedule;
    schedule.tile = tile;
    const int work = scalars_in(types.c) * scalars_in(types.c) * tile.vectors * tile.columns;
    schedule.unroll = std::clamp(iteration / work, 1, longest_unroll);
    const Integer group = types.k_packing.k_group(), bytes = types.panel_bytes(); // of a K group
    const Integer outer_cache = std::max<Integer>(cpu.cache_bytes, 256 << 10);
    const Integer k_groups =
        round_down(std::min(deepest, panel_bytes / (schedule.tile.columns * bytes)), 8 * schedule.unroll);
    schedule.kc = k_groups * group;
    schedule.mc = round_down(outer_cache / 2 / (k_groups * bytes), schedule.tile.rows());
    schedule.nc = round_down(columns_bytes / (k_groups * bytes), schedule.tile.columns);
    return schedule;
}

BlockedGemm model_schedule(const OperandTypes& types, const target::Cpu& cpu) {
    return model_schedule_of(types, fastest_tile(types, cpu), cpu);
}

} // namespace swirl::gemm
