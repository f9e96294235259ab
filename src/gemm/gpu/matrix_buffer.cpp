#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/scalar.hpp"

#include <utility>

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

ir::BufferInfo buffer_of_alpha_beta(DataType accumulator) {
    ir::BufferInfo info;
    info.name = "alpha_beta";
    info.role.argument = ir::ArgumentRole::alpha_beta;
    info.element = scalar_of(accumulator);
    info.elements = 2 * scalars_in(accumulator);
    info.by_value = true;
    return info;
}

ir::BufferInfo buffer_in_smem(std::string name, DataType element, Integer elements, Integer alignment) {
    ir::BufferInfo info;
    info.name = std::move(name);
    info.element = element;
    info.space = ir::Space::shared;
    info.elements = elements;
    info.alignment = static_cast<int>(alignment);
    info.written = true;
    return info;
}

} // namespace swirl::gemm
