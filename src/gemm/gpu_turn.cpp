#include "gemm/gpu_turn.hpp"

#include "gemm/tile.hpp"
#include "gemm/whole_problem.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <string>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr Integer side = 32;      ///< of a square, of which a warp has lines
constexpr Integer warps = 8;      ///< of a block
constexpr Integer row = side + 1; ///< of shared memory: elements of a column have different banks

Integer matrices_of_b(const MatrixProduct& oriented) {
    return oriented.b.batch_stride == 0 ? 1 : oriented.batch;
}

} // namespace

MatrixLayout turned_layout(const MatrixProduct& oriented) {
    const Integer piece = ir::tile_piece_bytes / bytes_of(oriented.number_of_b());
    const Integer pitch = ceil_divide(oriented.depth, piece) * piece;
    return {1, pitch, false, matrices_of_b(oriented) == 1 ? 0 : pitch * oriented.columns};
}

ir::BufferInfo buffer_of_turned(const char* name, const MatrixProduct& oriented) {
    ir::BufferInfo buffer;
    buffer.name = std::string(name) + "_turned";
    buffer.element = scalar_of(oriented.number_of_b());
    buffer.space = ir::Space::scratch;
    buffer.elements = turned_layout(oriented).column_stride * oriented.columns * matrices_of_b(oriented);
    buffer.alignment = ir::tile_piece_bytes;
    buffer.written = true;
    return buffer;
}

ir::Program gpu_turn(const char* name, const MatrixProduct& oriented) {
    const MatrixLayout &from = oriented.b, to = turned_layout(oriented);
    ir::Builder builder(std::string("turn_") + name);
    const Extent extent = extent_of(from, oriented.depth, oriented.columns, oriented.batch);
    ir::BufferInfo matrix;
    matrix.name = name;
    matrix.element = scalar_of(oriented.number_of_b());
    matrix.first = extent.lowest;
    matrix.elements = extent.highest - extent.lowest + 1;
    const ir::Buffer b = builder.add(matrix);
    const ir::Buffer turned = builder.add(buffer_of_turned(name, oriented));
    const ir::Buffer square = builder.shared("square", matrix.element, side * row);

    const Integer down = ceil_divide(oriented.depth, side), across = ceil_divide(oriented.columns, side);
    const Integer matrices = matrices_of_b(oriented);
    builder.launch({.blocks = {down * across * matrices, 1, 1}, .threads = {side * warps, 1, 1}});
    const Affine first_step = side * builder.block(0, 1, down);
    const Affine first_column = side * builder.block(0, down, across);
    const Affine number = matrices == 1 ? Affine(0) : builder.block(0, down * across, 0);
    const Affine lane = builder.thread(0, 1, side);
    const auto for_lines = [&](auto&& body) {
        for (Integer line = 0; line < side; line += warps) body(builder.thread(0, side, warps) + line);
    };
    const auto inside = [&](const Affine& step, const Affine& column, auto&& body) {
        builder.if_then(
            {{step - oriented.depth, Relation::negative}, {column - oriented.columns, Relation::negative}},
            body);
    };
    for_lines([&](const Affine& line) {
        const Affine step = first_step + line, column = first_column + lane;
        inside(step, column, [&] {
            builder.store(square, row * line + lane,
                          builder.load(b, from.row_stride * step + from.column_stride * column +
                                              from.batch_stride * number));
        });
    });
    builder.barrier();
    for_lines([&](const Affine& line) {
        const Affine step = first_step + lane, column = first_column + line;
        inside(step, column, [&] {
            builder.store(turned, step + to.column_stride * column + to.batch_stride * number,
                          builder.load(square, row * lane + line));
        });
    });
    return builder.finish();
}

} // namespace swirl::gemm
