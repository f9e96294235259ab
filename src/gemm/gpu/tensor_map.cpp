#include "gemm/gpu/tensor_map.hpp"

#include "ir/tile.hpp"

#include <fmt/format.h>

namespace swirl::gemm {

bool has_batch_coordinate(const MatrixLayout& layout, Integer batch) {
    return batch > 1 && layout.batch_stride != 0;
}

ir::TensorInfo tensor_map_of(const char* name, std::array<Integer, 2> extents, Integer stride,
                             std::array<Integer, 2> box, Integer swizzle, const MatrixLayout& layout,
                             Integer batch) {
    ir::TensorInfo result;
    result.name = name;
    result.extents = {extents[0], extents[1]};
    result.strides = {1, stride};
    result.box = {box[0], box[1]};
    result.swizzle = swizzle;
    if (!has_batch_coordinate(layout, batch)) return result;
    result.extents.push_back(batch);
    result.strides.push_back(layout.batch_stride);
    result.box.push_back(1);
    return result;
}

std::string tensor_map_infeasibility(const MatrixLayout& layout, DataType data_type, Integer batch) {
    const Integer bytes = bytes_of(data_type);
    if (layout.row_stride != 1 && layout.column_stride != 1)
        return fmt::format("strides of {} and {}, of which none is 1", layout.row_stride,
                           layout.column_stride);
    const Integer stride = layout.row_stride == 1 ? layout.column_stride : layout.row_stride;
    for (const Integer distance : {stride, has_batch_coordinate(layout, batch) ? layout.batch_stride : 0})
        if (distance < 0 || distance * bytes % ir::swizzle_chunk_bytes != 0)
            return fmt::format("a stride of {} elements, which is no positive multiple of {} bytes", distance,
                               ir::swizzle_chunk_bytes);
    return {};
}

} // namespace swirl::gemm
