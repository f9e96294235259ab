#pragma once

#include "gemm/scalar.hpp"
#include "ir/builder.hpp"
#include "problem/matrix_product.hpp"

/// Shared by programs that compute a whole problem with constant extents and strides.
namespace swirl::gemm {

/// A buffer that covers all elements of a matrix with these strides. Its role, a, b or c, is its name.
inline ir::Buffer add_matrix(ir::Builder& builder, ir::ArgumentRole role, DataType data_type,
                             const MatrixLayout& layout, Integer rows, Integer columns, bool written) {
    const Extent extent = extent_of(layout, rows, columns, 1);
    const Integer components = scalars_in(data_type);
    ir::BufferInfo info;
    info.name = ir::name_of(role);
    info.role.argument = role;
    info.element = scalar_of(data_type);
    info.first = components * extent.lowest;
    info.elements = components * (extent.highest - extent.lowest + 1);
    info.written = written;
    return builder.add(info);
}

/// Calls body(first, count) over an extent in blocks of `block`; the last block has the remainder.
template <class F>
void for_each_block(ir::Builder& builder, const char* name, Integer extent, Integer block, F&& body) {
    const Integer whole = extent / block * block;
    if (whole > block)
        builder.for_loop(name, 0, whole, block, ir::For::Kind::serial,
                         [&](const Affine& first) { body(first, block); });
    else if (whole > 0)
        body(Affine(0), block);
    if (whole < extent) body(Affine(whole), extent - whole);
}

} // namespace swirl::gemm
