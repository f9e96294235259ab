#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/cpu/tile.hpp"

namespace swirl::gemm {

ir::BufferInfo buffer_of_matrix(ir::ArgumentRole role, DataType number, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements) {
    const Extent extent = extent_of(layout, rows, columns, batch);
    ir::BufferInfo result;
    result.name = ir::name_of(role);
    result.role.argument = role;
    result.element = scalar_of(number);
    result.first = scalars_in(number) * extent.lowest;
    result.elements = scalars_in(number) * (extent.highest - extent.lowest + 1);
    result.alignment = static_cast<int>(aligned_elements * bytes_of(number));
    return result;
}

} // namespace swirl::gemm
