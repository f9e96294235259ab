#include "gemm/gpu/prologue/operand_transpose.hpp"

#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/scalar.hpp"
#include "gemm/whole_problem.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <string>
#include <utility>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr Integer side = 32; ///< of a square tile, per warp along M or N
constexpr Integer warps_per_block = 8;
constexpr Integer row = side + 1; ///< row pitch in shared memory: elements of a column are in different banks

OperandTranspose transpose_of(const MatrixLayout& layout, Integer mn_extent, const MatrixProduct& canonical,
                              DataType data_type) {
    return {layout, canonical.k, mn_extent, layout.batch_stride == 0 ? 1 : canonical.batch, data_type};
}

} // namespace

OperandTranspose transpose_of_a(const MatrixProduct& canonical) {
    MatrixLayout transposed = canonical.a;
    std::swap(transposed.row_stride, transposed.column_stride);
    return transpose_of(transposed, canonical.rows, canonical, canonical.type_of_a());
}

OperandTranspose transpose_of_b(const MatrixProduct& canonical) {
    return transpose_of(canonical.b, canonical.columns, canonical, canonical.type_of_b());
}

MatrixLayout OperandTranspose::output_layout() const {
    const Integer k_tile = ir::swizzle_chunk_bytes / bytes_of(data_type);
    const Integer pitch = ceil_divide(k, k_tile) * k_tile;
    return {1, pitch, false, matrices == 1 ? 0 : pitch * mn_extent};
}

ir::BufferInfo buffer_of_transposed(ir::ArgumentRole operand, const OperandTranspose& transpose) {
    ir::BufferInfo buffer;
    buffer.name = std::string(ir::name_of(operand)) + "_transposed";
    buffer.element = scalar_of(transpose.data_type);
    buffer.space = ir::Space::scratch;
    buffer.elements = transpose.output_layout().column_stride * transpose.mn_extent * transpose.matrices;
    buffer.alignment = ir::swizzle_chunk_bytes;
    buffer.written = true;
    return buffer;
}

ir::Program transpose_kernel(ir::ArgumentRole operand, const OperandTranspose& transpose) {
    const MatrixLayout &from = transpose.layout, to = transpose.output_layout();
    ir::Builder builder("transpose_" + std::string(ir::name_of(operand)));
    const ir::BufferInfo matrix = buffer_of_matrix(operand, transpose.data_type, from, transpose.k,
                                                   transpose.mn_extent, transpose.matrices, 1);
    const ir::Buffer matrix_buffer = builder.add(matrix);
    const ir::Buffer output = builder.add(buffer_of_transposed(operand, transpose));
    const ir::Buffer square = builder.shared("transpose_tile", matrix.element, side * row);

    const Integer down = ceil_divide(transpose.k, side), across = ceil_divide(transpose.mn_extent, side);
    builder.launch(
        {.blocks = {down * across * transpose.matrices, 1, 1}, .threads = {side * warps_per_block, 1, 1}});
    const Affine first_k = side * builder.block(0, 1, down);
    const Affine first_mn = side * builder.block(0, down, across);
    const Affine batch_index = transpose.matrices == 1 ? Affine(0) : builder.block(0, down * across, 0);
    const Affine lane = builder.thread(0, 1, side);
    const auto for_mn = [&](auto&& body) {
        for (Integer mn = 0; mn < side; mn += warps_per_block)
            body(builder.thread(0, side, warps_per_block) + mn);
    };
    const auto inside = [&](const Affine& k, const Affine& mn, auto&& body) {
        builder.if_then(
            {{k - transpose.k, Relation::negative}, {mn - transpose.mn_extent, Relation::negative}}, body);
    };
    for_mn([&](const Affine& own) {
        const Affine k = first_k + own, mn = first_mn + lane;
        inside(k, mn, [&] {
            builder.store(square, row * own + lane,
                          builder.load(matrix_buffer, from.row_stride * k + from.column_stride * mn +
                                                          from.batch_stride * batch_index));
        });
    });
    builder.barrier();
    for_mn([&](const Affine& own) {
        const Affine k = first_k + lane, mn = first_mn + own;
        inside(k, mn, [&] {
            builder.store(output, k + to.column_stride * mn + to.batch_stride * batch_index,
                          builder.load(square, row * lane + own));
        });
    });
    return builder.finish();
}

} // namespace swirl::gemm
