#include "gemm/panel_places.hpp"

namespace swirl::gemm {

namespace {

/// A count times a stride that is an argument.
ir::Value product(ir::Builder& builder, const Affine& count, const Affine& stride) {
    return builder.multiply(builder.index(count), builder.index(stride));
}

} // namespace

PanelPlaces::Place PanelPlaces::place(ir::Builder& builder, const Affine& k, int row) const {
    Place place{from_origin, ir::no_value};
    if (depth_stride.is_constant())
        place.index += k * depth_stride.constant();
    else
        place.dynamic = product(builder, k, depth_stride);
    return row == 0 ? place : beside(builder, place, row);
}

PanelPlaces::Place PanelPlaces::beside(ir::Builder& builder, const Place& first, int row) const {
    Place place = first;
    if (stride.is_constant()) {
        place.index += row * stride.constant();
    } else if (row != 0) {
        const ir::Value distance = product(builder, row, stride);
        place.dynamic = first.dynamic == ir::no_value ? distance : builder.add(first.dynamic, distance);
    }
    return place;
}

} // namespace swirl::gemm
