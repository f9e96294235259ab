#pragma once

#include "ir/builder.hpp"

namespace swirl::gemm {

/// Where a panel comes from and goes to, in scalars; strides are constants or arguments of the kernel.
struct PanelPlaces {
    ir::Buffer from = 0;
    Affine from_origin = {};
    Affine depth_stride = {};
    Affine stride = {}; ///< across the panel
    ir::Buffer to = 0;
    Affine to_origin = {};

    /// A place in memory: an index, and what is added to it that is known only when the kernel runs.
    struct Place {
        Affine index;
        ir::Value dynamic;
    };
    /// Of a number of a step.
    Place place(ir::Builder& builder, const Affine& k, int row) const;
    /// So many rows of the panel further.
    Place beside(ir::Builder& builder, const Place& first, int row) const;
};

} // namespace swirl::gemm
