#include "gemm/gpu/blocks.hpp"

#include <algorithm>

namespace swirl::gemm {

BlockCoordinates coordinates_of_block(ir::Builder& builder, const SimtGemm& schedule,
                                      const TileGrid& counts) {
    const Integer group = std::min<Integer>(schedule.raster_group, counts.rows);
    const Integer groups = ceil_divide(counts.rows, group), splits = schedule.splits();
    const Integer matrices = ceil_divide(counts.batch, Integer{schedule.matrices()});
    const Integer blocks = splits * group * counts.columns * groups * matrices;
    const bool is_cluster = !schedule.splits_in_workspace();
    builder.launch({.blocks = {blocks, 1, 1},
                    .threads = {schedule.threads(), 1, 1},
                    .cluster = is_cluster ? splits : 1,
                    .resident = schedule.resident,
                    .cooperative_group = is_cluster ? 1 : splits});
    Integer divisor = 1;
    const auto digit = [&](Integer count, bool is_last = false) {
        const Integer before = divisor;
        divisor *= count;
        return count == 1 ? Affine(0) : builder.block(0, before, is_last ? 0 : count);
    };
    BlockCoordinates coordinates;
    coordinates.split = digit(splits);
    coordinates.tiles = blocks / splits;
    coordinates.tile = coordinates.tiles == 1 ? Affine(0) : builder.block(0, splits, 0);
    const Affine in_group = digit(group);
    coordinates.column_block = digit(counts.columns);
    coordinates.row_block = digit(groups) * group + in_group;
    coordinates.matrix = digit(matrices, true) * schedule.matrices();
    coordinates.may_be_idle = counts.rows % group != 0;
    return coordinates;
}

} // namespace swirl::gemm
