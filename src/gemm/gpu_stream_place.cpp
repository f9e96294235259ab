#include "gemm/gpu_stream_place.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;

GpuStreamPlaces::GpuStreamPlaces(ir::Builder& builder, const GpuSchedule& schedule, const GpuStream& stream)
    : builder_(builder),
      stream_(stream),
      group_(std::min<Integer>(schedule.group, stream.row_blocks)),
      block_(builder.block(0, 1, 0)) {}

Value GpuStreamPlaces::integer(Integer number) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
}
Value GpuStreamPlaces::divided(Value number, Integer by) const {
    return by == 1 ? number : builder_.divide(number, integer(by));
}
Value GpuStreamPlaces::less_multiple(Value number, Value times, Integer of) const {
    return builder_.subtract(number, builder_.multiply(times, integer(of)));
}

GpuStreamPlaces::Segment GpuStreamPlaces::shared_segment(const Affine& turn) const {
    // Pieces are counted from the first shared tile on.
    const Integer share = stream_.share(), pieces = stream_.pieces, all = stream_.shared_tiles() * pieces;
    const Value begin = builder_.index(block_ * share);
    Value end = builder_.add(begin, integer(share));
    if (share * stream_.blocks > all) end = smaller(end, integer(all));
    const Value number = builder_.add(divided(begin, pieces), builder_.index(turn));
    const Value of_tile = builder_.multiply(number, integer(pieces));
    const Value first = builder_.select(builder_.less(of_tile, begin), begin, of_tile);
    const Value last = smaller(end, builder_.add(of_tile, integer(pieces)));
    return {builder_.add(number, integer(stream_.first_shared_tile())), builder_.subtract(first, of_tile),
            builder_.subtract(last, first)};
}

GpuStreamPlaces::Segment GpuStreamPlaces::segment(const Affine& shared, const Affine& turn) const {
    const Segment part = shared_segment(turn);
    if (shared == Affine(1)) return part;
    const Value is_whole = builder_.less(builder_.index(shared), integer(1));
    return {builder_.select(is_whole, builder_.index(turn * stream_.blocks + block_), part.tile),
            builder_.select(is_whole, integer(0), part.first),
            builder_.select(is_whole, integer(stream_.pieces), part.count)};
}

GpuTilePlace GpuStreamPlaces::tile(Value number) const {
    GpuTilePlace place;
    if (stream_.batch > 1) {
        const Integer tiles = stream_.row_blocks * stream_.column_blocks;
        place.matrix.value = divided(number, tiles);
        number = less_multiple(number, place.matrix.value, tiles);
    }
    const Integer of_group = group_ * stream_.column_blocks, in_last = stream_.row_blocks % group_;
    const Value group = divided(number, of_group);
    const Value in_group = less_multiple(number, group, of_group);
    Value column = divided(in_group, group_), below = less_multiple(in_group, column, group_);
    if (in_last > 0) { // the last group has fewer rows
        const Value is_full = builder_.less(group, integer(stream_.row_blocks / group_));
        const Value other = divided(in_group, in_last);
        below = builder_.select(is_full, below, less_multiple(in_group, other, in_last));
        column = builder_.select(is_full, column, other);
    }
    place.row_block.value = builder_.add(builder_.multiply(group, integer(group_)), below);
    place.column_block.value = column;
    return place;
}

} // namespace swirl::gemm
