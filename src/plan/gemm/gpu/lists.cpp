#include "plan/gemm/gpu/lists.hpp"

#include <algorithm>
#include <vector>

namespace swirl::planning {

namespace {

Integer stride_behind(const MatrixLayout& layout, Integer rows, Integer columns, Integer unit) {
    if (rows == 0 || columns == 0) return 0;
    const Extent extent = extent_of({layout.row_stride, layout.column_stride}, rows, columns, 1);
    return ceil_divide(extent.highest - extent.lowest + 1, unit) * unit;
}

runtime::GpuBuffer list_of(const runtime::GpuDevice& device, const void* first, Integer stride_bytes,
                           Integer batch) {
    std::vector<const void*> pointers;
    for (Integer matrix = 0; matrix < batch; ++matrix)
        pointers.push_back(first == nullptr ? nullptr
                                            : static_cast<const std::byte*>(first) + matrix * stride_bytes);
    runtime::GpuBuffer list(device, pointers.size() * sizeof(const void*));
    runtime::copy_to_gpu(device, list.address(), pointers.data(), list.bytes());
    return list;
}

} // namespace

MatrixProduct with_contiguous_batch(const MatrixProduct& product) {
    MatrixProduct result = product;
    if (!product.listed) return result;
    const auto unit = [&](DataType data_type) {
        return std::max<Integer>(product.list_alignment / bytes_of(data_type), 1);
    };
    result.listed = false;
    result.list_alignment = 0;
    result.a.batch_stride = stride_behind(product.a, product.rows, product.k, unit(product.type_of_a()));
    result.b.batch_stride = stride_behind(product.b, product.k, product.columns, unit(product.type_of_b()));
    result.c.batch_stride =
        stride_behind(product.c, product.rows, product.columns, unit(product.type_of_c()));
    return result;
}

GpuMatrixLists::GpuMatrixLists(const runtime::GpuDevice& device, const MatrixProduct& strided,
                               const GpuMatrixArguments& first)
    : lists_{
          list_of(device, first.a, strided.a.batch_stride * bytes_of(strided.type_of_a()), strided.batch),
          list_of(device, first.b, strided.b.batch_stride * bytes_of(strided.type_of_b()), strided.batch),
          list_of(device, first.c, strided.c.batch_stride * bytes_of(strided.type_of_c()), strided.batch)} {}

GpuMatrixArguments GpuMatrixLists::of(GpuMatrixArguments arguments) const {
    const auto pointer = [](const runtime::GpuBuffer& list) {
        return reinterpret_cast<void*>(list.address());
    };
    arguments.a = pointer(lists_[0]);
    arguments.b = pointer(lists_[1]);
    arguments.c = pointer(lists_[2]);
    return arguments;
}

} // namespace swirl::planning
