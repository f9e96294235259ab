// Stores accumulators of wgmmas whose rows are C's to shared memory.
#include "gemm/gpu/wgmma/register_a.hpp"
#include "gemm/gpu/wgmma/update.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr int column_group = 8; ///< columns, two per thread of a quad
constexpr int rows_of_pair = 2; ///< adjacent rows of C that a thread has
constexpr int pairs_of_panel = 16;

} // namespace

WgmmaReductions::Coordinate WgmmaUpdate::row_coordinate(int k) const {
    const int wgmma = k / rows_of_pair;
    const FragmentRows rows(builder_, warpgroup_,
                            schedule_.cta_tile.m / schedule_.warpgroups / rows_of_wgmma);
    const Value two = builder_.constant({DataType::int64, 1}, rows_of_pair);
    return {rows_of_pair * pairs_of_panel * rows.panel(wgmma, true) + k % rows_of_pair,
            builder_.multiply(rows.offset_in_row(wgmma, 0), two)};
}

/// Threads that store simultaneously use different banks (FragmentRows).
void WgmmaUpdate::store_accumulators_by_rows(const EpilogueTile& epilogue_tile, bool reads) const {
    const int wgmmas = schedule_.cta_tile.m / schedule_.warpgroups / rows_of_wgmma;
    const int registers = schedule_.cta_tile.n / 2; ///< of each wgmma
    const FragmentRows rows(builder_, warpgroup_, wgmmas);
    const auto scalar = [&](Integer which) {
        return builder_.splat(builder_.load(result_.alpha_beta, which), rows_of_pair);
    };
    const Value alpha = scalar(0);
    const Value beta = reads ? scalar(1) : ir::no_value;
    for (int wgmma = 0; wgmma < wgmmas; ++wgmma) {
        const Value row_pair = rows.offset_in_row(wgmma, 0);
        for (int odd = 0; odd < 2; ++odd) {
            const Affine column = 2 * builder_.thread(0, 1, 4) + odd;
            const Affine coordinate =
                panel() / rows_of_pair * rows.panel(wgmma, false) + row() / rows_of_pair * column;
            const Value offset = builder_.add(rows.offset_in_row(wgmma, column), builder_.index(coordinate));
            const ir::Access access{.lanes = rows_of_pair, .dynamic = offset, .dynamic_scale = rows_of_pair};
            for (int first = 0; first < epilogue_tile_n(schedule_); first += column_group) {
                const Integer sum = Integer{wgmma} * registers +
                                    (epilogue_tile.first_column + first) / column_group * 4 + odd;
                const Integer at = first_of_epilogue_tile() + first * row();
                const Pair in_tile{{pairs_of_panel * rows.panel(wgmma, true),
                                    epilogue_tile.first_column + first + column, row_pair},
                                   {first / column_group * 2 + odd, rows_of_pair * wgmma}};
                const Value value = result_of(
                    epilogue_tile, in_tile, alpha,
                    builder_.load(result_.accumulators, sum, {.lanes = rows_of_pair, .lane_stride = 2}), beta,
                    reads ? builder_.load(result_.epilogue_smem, at, access) : ir::no_value);
                builder_.store(result_.epilogue_smem, at, value, access);
            }
        }
    }
}

} // namespace swirl::gemm
