#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/scalar.hpp"

namespace swirl::gemm {

ir::BufferInfo buffer_of_matrix(ir::ArgumentRole role, DataType data_type, const MatrixLayout& layout,
                                Integer rows, Integer columns, Integer batch, Integer aligned_elements) {
    const Extent extent = extent_of(layout, rows, columns, batch);
    ir::BufferInfo result;
    result.name = ir::name_of(role);
    result.role.argument = role;
    result.element = scalar_of(data_type);
    result.first = scalars_in(data_type) * extent.lowest;
    result.elements = scalars_in(data_type) * (extent.highest - extent.lowest + 1);
    result.alignment = static_cast<int>(aligned_elements * bytes_of(data_type));
    return result;
}

} // namespace swirl::gemm
