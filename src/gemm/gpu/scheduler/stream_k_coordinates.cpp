#include "gemm/gpu/scheduler/stream_k_coordinates.hpp"

#include <algorithm>

namespace swirl::gemm {

using ir::Value;

StreamKCoordinates::StreamKCoordinates(ir::Builder& builder, const SimtGemm& schedule,
                                       const StreamKPartition& stream)
    : builder_(builder),
      stream_(stream),
      group_(std::min<Integer>(schedule.raster_group, stream.tiles_m)),
      block_(builder.block(0, 1, 0)) {}

Value StreamKCoordinates::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}
Value StreamKCoordinates::divided(Value index, Integer by) const {
    return by == 1 ? index : builder_.divide(index, integer(by));
}
Value StreamKCoordinates::less_multiple(Value index, Value times, Integer of) const {
    return builder_.subtract(index, builder_.multiply(times, integer(of)));
}

StreamKCoordinates::Segment StreamKCoordinates::shared_segment(const Affine& iteration) const {
    // k-tiles are counted from the first shared tile.
    const Integer share = stream_.k_tiles_per_block(), k_tiles = stream_.k_tiles,
                  all = stream_.stream_k_tiles() * k_tiles;
    const Value begin = builder_.index(block_ * share);
    Value end = builder_.add(begin, integer(share));
    if (share * stream_.blocks > all) end = smaller(end, integer(all));
    const Value index = builder_.add(divided(begin, k_tiles), builder_.index(iteration));
    const Value of_tile = builder_.multiply(index, integer(k_tiles));
    const Value first = builder_.select(builder_.less(of_tile, begin), begin, of_tile);
    const Value last = smaller(end, builder_.add(of_tile, integer(k_tiles)));
    return {builder_.add(index, integer(stream_.first_stream_k_tile())), builder_.subtract(first, of_tile),
            builder_.subtract(last, first)};
}

StreamKCoordinates::Segment StreamKCoordinates::segment(const Affine& shared, const Affine& iteration) const {
    const Segment segment = shared_segment(iteration);
    if (shared == Affine(1)) return segment;
    const Value is_whole = builder_.less(builder_.index(shared), integer(1));
    return {builder_.select(is_whole, builder_.index(iteration * stream_.blocks + block_), segment.tile),
            builder_.select(is_whole, integer(0), segment.first),
            builder_.select(is_whole, integer(stream_.k_tiles), segment.count)};
}

TileCoordinates StreamKCoordinates::tile(Value index) const {
    TileCoordinates coordinates;
    if (stream_.batch > 1) {
        const Integer tiles = stream_.tiles_m * stream_.tiles_n;
        coordinates.matrix.value = divided(index, tiles);
        index = less_multiple(index, coordinates.matrix.value, tiles);
    }
    const Integer of_cooperative_group = group_ * stream_.tiles_n, in_last = stream_.tiles_m % group_;
    const Value group = divided(index, of_cooperative_group);
    const Value in_group = less_multiple(index, group, of_cooperative_group);
    Value column = divided(in_group, group_), below = less_multiple(in_group, column, group_);
    if (in_last > 0) { // the last group has fewer rows
        const Value is_full = builder_.less(group, integer(stream_.tiles_m / group_));
        const Value other = divided(in_group, in_last);
        below = builder_.select(is_full, below, less_multiple(in_group, other, in_last));
        column = builder_.select(is_full, column, other);
    }
    coordinates.row_block.value = builder_.add(builder_.multiply(group, integer(group_)), below);
    coordinates.column_block.value = column;
    return coordinates;
}

} // namespace swirl::gemm
