// Sums of tile_products whose rows are C's, on their way to shared memory.
#include "gemm/gpu_tile_fragments.hpp"
#include "gemm/gpu_tile_result.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr int group = 8; ///< columns of which four threads have two each
constexpr int pair = 2;  ///< neighbours along C's rows that a thread has
constexpr int pairs_of_panel = 16;

} // namespace

GpuTileReductions::Line GpuTileUpdate::row_line(int k) const {
    const int part = k / pair;
    const GpuFragmentRows rows(builder_, warpgroup_,
                               schedule_.block_rows / schedule_.warpgroups / rows_of_product);
    const Value two = builder_.constant({ir::Scalar::int64, 1}, pair);
    return {pair * pairs_of_panel * rows.panel(part, true) + k % pair,
            builder_.multiply(rows.place_in_row(part, 0), two)};
}

/// Threads that store at once have different banks (GpuFragmentRows).
void GpuTileUpdate::stage_sums_by_rows(const Round& round, bool reads) const {
    const int parts = schedule_.block_rows / schedule_.warpgroups / rows_of_product;
    const int registers = schedule_.block_columns / 2; ///< of each part
    const GpuFragmentRows rows(builder_, warpgroup_, parts);
    const auto factor = [&](Integer which) {
        return builder_.splat(builder_.load(result_.factors, which), pair);
    };
    const Value alpha = factor(0);
    const Value beta = reads ? factor(1) : ir::no_value;
    for (int part = 0; part < parts; ++part) {
        const Value row_pair = rows.place_in_row(part, 0);
        for (int odd = 0; odd < 2; ++odd) {
            const Affine column = 2 * builder_.thread(0, 1, 4) + odd;
            const Affine line = panel() / pair * rows.panel(part, false) + row() / pair * column;
            const Value place = builder_.add(rows.place_in_row(part, column), builder_.index(line));
            const ir::Access access{.lanes = pair, .dynamic = place, .dynamic_scale = pair};
            for (int first = 0; first < columns_of_round(schedule_); first += group) {
                const Integer sum =
                    Integer{part} * registers + (round.first_column + first) / group * 4 + odd;
                const Integer at = first_staged() + first * row();
                const Pair in_tile{
                    {pairs_of_panel * rows.panel(part, true), round.first_column + first + column, row_pair},
                    {first / group * 2 + odd, pair * part}};
                const Value value =
                    result_of(round, in_tile, alpha,
                              builder_.load(result_.sums, sum, {.lanes = pair, .lane_stride = 2}), beta,
                              reads ? builder_.load(result_.staged, at, access) : ir::no_value);
                builder_.store(result_.staged, at, value, access);
            }
        }
    }
}

} // namespace swirl::gemm
