#include "gemm/gpu/wgmma/register_store.hpp"

#include "gemm/gpu/simt/layout.hpp"
#include "gemm/scalar.hpp"

#include <vector>

namespace swirl::gemm {

using ir::Value;
using Relation = ir::Condition::Relation;

void WgmmaRegisterStore::store_tile(const WgmmaOutput& result, const TileOrigin& tile, int warpgroup) const {
    const int columns = schedule_.cta_tile.n / schedule_.warpgroups;
    const auto store_all = [&](bool reads) {
        for (int wgmma = 0; wgmma < columns / rows_of_wgmma; ++wgmma)
            for (int group = 0; group < groups(schedule_); ++group) {
                const Integer first = Integer{wgmma * groups(schedule_) + group} * sums_of_thread;
                store(result, tile,
                      {group, Affine(warpgroup * columns + wgmma * rows_of_wgmma),
                       builder_.load(result.accumulators, first, {.lanes = sums_of_thread})},
                      reads);
            }
    };
    builder_.if_then(
        {{result.reads_c - 1, Relation::nonnegative}}, [&] { store_all(true); }, [&] { store_all(false); });
}

void WgmmaRegisterStore::store(const WgmmaOutput& result, const TileOrigin& tile, const Group& group,
                               bool reads) const {
    const auto integer = [&](Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    };
    const Integer unit = has_aligned_pairs() ? 2 : 1;
    Value start = builder_.add(unit == 2 ? tile.row_pair : tile.row,
                               builder_.multiply(tile.column, integer(product_.c.column_stride / unit)));
    if (result.has_matrix)
        start = builder_.add(start, builder_.multiply(tile.matrix, integer(product_.c.batch_stride / unit)));
    for (int lower = 0; lower < 2; ++lower) store_column(result, tile, group, lower, start, reads);
}

ir::Access WgmmaRegisterStore::access(Value start, int lanes, int active) const {
    return {.lanes = lanes, .active = active, .dynamic = start, .dynamic_scale = has_aligned_pairs() ? 2 : 1};
}

Value WgmmaRegisterStore::load_pair(ir::Buffer c, const Affine& at, Value start, int rows) const {
    if (has_aligned_pairs()) return builder_.load(c, at, access(start, 2, rows));
    const Value first = builder_.load(c, at, access(start, 1, 1));
    return join_lanes(builder_, {first, rows == 2 ? builder_.load(c, at + 1, access(start, 1, 1)) : first});
}

void WgmmaRegisterStore::store_pair(ir::Buffer c, const Affine& at, Value start, int rows, Value pair) const {
    if (has_aligned_pairs()) return builder_.store(c, at, pair, access(start, 2, rows));
    for (int row = 0; row < rows; ++row)
        builder_.store(c, at + row, builder_.shuffle(pair, pair, {static_cast<std::int8_t>(row)}),
                       access(start, 1, 1));
}

/// `lower`: of the thread's two columns.
void WgmmaRegisterStore::store_column(const WgmmaOutput& result, const TileOrigin& tile, const Group& group,
                                      int lower, Value start, bool reads) const {
    const DataType stored = scalar_of(product_.type_of_c());
    const Affine row = group.in_tile * rows_of_group + 2 * builder_.thread(0, 1, 4);
    const Affine column = group.first_column + lower * rows_of_group + 16 * builder_.thread(0, 32, 4) +
                          builder_.thread(0, 4, 8);
    const Affine at = row + column * product_.c.column_stride;
    const auto scalar = [&](Integer which) {
        return builder_.splat(builder_.load(result.alpha_beta, which), 2);
    };
    const auto first = static_cast<std::int8_t>(2 * lower), second = static_cast<std::int8_t>(2 * lower + 1);
    const Value pair =
        builder_.multiply(scalar(0), builder_.shuffle(group.sums, group.sums, {first, second}));
    /// Of both rows, or of the first alone, where C's last row is odd.
    const auto write = [&](int rows) {
        Value value = pair;
        if (reads) {
            Value old = load_pair(result.c_memory, at, start, rows);
            if (stored != DataType::float32) old = builder_.convert(old, DataType::float32);
            value = builder_.fma(scalar(1), old, value);
        }
        if (result.epilogue != nullptr)
            value = result.epilogue->finish(
                {tile.matrix, tile.row_pair, tile.column},
                {group.in_tile * (rows_of_group / 2) + builder_.thread(0, 1, 4), column}, value);
        if (stored != DataType::float32) value = builder_.convert(value, stored);
        store_pair(result.c_memory, at, start, rows, value);
    };
    // Tiles of a cluster's last blocks may lie outside C entirely.
    const bool has_edge = product_.columns % (Integer{schedule_.cta_tile.n} * schedule_.cluster.n) != 0;
    std::vector<ir::Condition> inside;
    if (has_edge) inside.push_back({column - product_.columns, Relation::negative, tile.column});
    const auto with_rows = [&] {
        if (product_.rows % (Integer{schedule_.cta_tile.m} * schedule_.cluster.m) == 0) return write(2);
        builder_.if_then(
            {{row + 1 - product_.rows, Relation::negative, tile.row}}, [&] { write(2); },
            [&] {
                if (product_.rows % 2 == 0) return;
                builder_.if_then({{row - product_.rows, Relation::negative, tile.row}}, [&] { write(1); });
            });
    };
    if (inside.empty())
        with_rows();
    else
        builder_.if_then(inside, with_rows);
}

std::string WgmmaRegisterStore::infeasibility(const CanonicalWgmmaGemm& gemm) {
    if (gemm.schedule.epilogue_tile_m > 0) return {};
    if (!gemm.product().reductions.empty())
        return "epilogue_tile_m is 0, and C is reduced; rows in shared memory are possible";
    if (gemm.has_register_a)
        return "epilogue_tile_m is 0, and A is in registers; rows in shared memory are possible";
    return {};
}

} // namespace swirl::gemm
