#include "gemm/cpu/panel_addresses.hpp"

namespace swirl::gemm {

namespace {

/// A count times a stride that is a kernel argument.
ir::Value product(ir::Builder& builder, const Affine& count, const Affine& stride) {
    return builder.multiply(builder.index(count), builder.index(stride));
}

} // namespace

PanelAddresses::Address PanelAddresses::address(ir::Builder& builder, const Affine& k, int row) const {
    Address address{from_origin, ir::no_value};
    if (k_stride.is_constant())
        address.index += k * k_stride.constant();
    else
        address.dynamic = product(builder, k, k_stride);
    return row == 0 ? address : at_row(builder, address, row);
}

PanelAddresses::Address PanelAddresses::at_row(ir::Builder& builder, const Address& first, int row) const {
    Address address = first;
    if (stride.is_constant()) {
        address.index += row * stride.constant();
    } else if (row != 0) {
        const ir::Value distance = product(builder, row, stride);
        address.dynamic = first.dynamic == ir::no_value ? distance : builder.add(first.dynamic, distance);
    }
    return address;
}

} // namespace swirl::gemm
