#pragma once

#include "ir/builder.hpp"

namespace swirl::gemm {

/// Source and destination of a panel, in scalars; strides are constants or kernel arguments.
struct PanelAddresses {
    ir::Buffer from = 0;
    Affine from_origin = {};
    Affine k_stride = {};
    Affine stride = {}; ///< across the panel
    ir::Buffer to = 0;
    Affine to_origin = {};

    /// An address: a static index plus an offset known only at run time.
    struct Address {
        Affine index;
        ir::Value dynamic;
    };
    /// Of row `row` at index k.
    Address address(ir::Builder& builder, const Affine& k, int row) const;
    /// `row` rows of the panel further.
    Address at_row(ir::Builder& builder, const Address& first, int row) const;
};

} // namespace swirl::gemm
