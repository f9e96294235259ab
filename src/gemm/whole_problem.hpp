#pragma once

#include "gemm/tile.hpp"
#include "ir/builder.hpp"
#include "problem/matrix_product.hpp"

/// What programs share that compute one product whole, all its extents and strides being constants.
namespace swirl::gemm {

/// A buffer for all that a matrix with these strides touches.
inline ir::Buffer add_matrix(ir::Builder& builder, const char* name, Number number,
                             const MatrixLayout& layout, Integer rows, Integer columns, bool written) {
    const Extent extent = extent_of(layout, rows, columns, 1);
    const Integer parts = scalars_in(number);
    ir::BufferInfo info;
    info.name = name;
    info.element = scalar_of(number);
    info.first = parts * extent.lowest;
    info.elements = parts * (extent.highest - extent.lowest + 1);
    info.written = written;
    return builder.add(info);
}

/// Calls body(first, count) for all of an extent in pieces of `step`, the last one what remains.
template <class F>
void in_pieces(ir::Builder& builder, const char* name, Integer extent, Integer step, F&& body) {
    const Integer whole = extent / step * step;
    if (whole > step)
        builder.for_loop(name, 0, whole, step, ir::For::Kind::serial,
                         [&](const Affine& first) { body(first, step); });
    else if (whole > 0)
        body(Affine(0), step);
    if (whole < extent) body(Affine(whole), extent - whole);
}

} // namespace swirl::gemm
