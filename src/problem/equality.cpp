#include <swirl/matrix_product.hpp>
#include <swirl/reduction.hpp>
#include <swirl/transform.hpp>

#include <tuple>

/// Equality of problems. Each structure is decomposed into all its members, so that the compiler reports a new one.
namespace swirl {

namespace {

auto members(const Dimension& of) {
    const auto& [length, input_stride, output_stride] = of;
    return std::tie(length, input_stride, output_stride);
}

auto members(const Batch& of) {
    const auto& [count, input_stride, output_stride] = of;
    return std::tie(count, input_stride, output_stride);
}

auto members(const Transform& of) {
    const auto& [kind, dimensions, batches, precision, layout, placement, direction, scale, spectrum, load,
                 store, matrix, kinds] = of;
    return std::tie(kind, dimensions, batches, precision, layout, placement, direction, scale, spectrum, load,
                    store, matrix, kinds);
}

auto members(const AuxiliaryArray& of) {
    const auto& [name, is_complex, precision, elements] = of;
    return std::tie(name, is_complex, precision, elements);
}

auto members(const Reduction& of) {
    const auto& [name, operation, over, expression] = of;
    return std::tie(name, operation, over, expression);
}

auto members(const MatrixLayout& of) {
    const auto& [row_stride, column_stride, conjugated, batch_stride] = of;
    return std::tie(row_stride, column_stride, conjugated, batch_stride);
}

auto members(const MatrixProduct& of) {
    const auto& [data_type, rows, columns, k, a, b, c, batch, epilogue, reductions, a_type, b_type, c_type,
                 listed, list_alignment] = of;
    return std::tie(data_type, rows, columns, k, a, b, c, batch, epilogue, reductions, a_type, b_type, c_type,
                    listed, list_alignment);
}

} // namespace

bool operator==(const Dimension& a, const Dimension& b) { return members(a) == members(b); }
bool operator==(const Batch& a, const Batch& b) { return members(a) == members(b); }
bool operator==(const Transform& a, const Transform& b) { return members(a) == members(b); }
bool operator==(const AuxiliaryArray& a, const AuxiliaryArray& b) { return members(a) == members(b); }
bool operator==(const Reduction& a, const Reduction& b) { return members(a) == members(b); }
bool operator==(const MatrixLayout& a, const MatrixLayout& b) { return members(a) == members(b); }
bool operator==(const MatrixProduct& a, const MatrixProduct& b) { return members(a) == members(b); }

} // namespace swirl
