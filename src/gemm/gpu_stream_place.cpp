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

GpuStreamPlaces::Spot GpuStreamPlaces::spot(Value position) const {
    // Pieces of shared tiles are counted from the first of these on.
    const Value shared =
        builder_.add(position, builder_.index(block_ * stream_.share() - stream_.first_shared_position()));
    if (stream_.whole_tiles == 0) {
        const Value tile = divided(shared, stream_.pieces);
        return {tile, less_multiple(shared, tile, stream_.pieces), integer(0)};
    }
    const Value first = integer(stream_.first_shared_position());
    const Value is_whole = builder_.less(position, first);
    const Value counted = builder_.select(is_whole, position, shared);
    const Value number = divided(counted, stream_.pieces);
    const Value own =
        builder_.add(builder_.multiply(number, integer(stream_.blocks)), builder_.index(block_));
    const Value others = builder_.add(number, integer(stream_.first_shared_tile()));
    return {builder_.select(is_whole, own, others), less_multiple(counted, number, stream_.pieces),
            builder_.select(is_whole, integer(0), first)};
}

Value GpuStreamPlaces::existing(Value tile) const {
    const Value last = integer(stream_.tiles() - 1);
    return builder_.select(builder_.less(tile, last), tile, last);
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
