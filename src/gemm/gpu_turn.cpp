#include "gemm/gpu_turn.hpp"

#include "gemm/gpu_matrix_buffer.hpp"

#include "gemm/tile.hpp"
#include "gemm/whole_problem.hpp"
#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <string>
#include <utility>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr Integer side = 32;      ///< of a square, of which a warp has lines
constexpr Integer warps = 8;      ///< of a block
constexpr Integer row = side + 1; ///< of shared memory: elements of a column have different banks

GpuTurn turn_of(const MatrixLayout& layout, Integer lines, const MatrixProduct& oriented, Number number) {
    return {layout, oriented.depth, lines, layout.batch_stride == 0 ? 1 : oriented.batch, number};
}

} // namespace

GpuTurn turn_of_a(const MatrixProduct& oriented) {
    MatrixLayout transposed = oriented.a;
    std::swap(transposed.row_stride, transposed.column_stride);
    return turn_of(transposed, oriented.rows, oriented, oriented.number_of_a());
}

GpuTurn turn_of_b(const MatrixProduct& oriented) {
    return turn_of(oriented.b, oriented.columns, oriented, oriented.number_of_b());
}

MatrixLayout GpuTurn::turned() const {
    const Integer piece = ir::tile_piece_bytes / bytes_of(number);
    const Integer pitch = ceil_divide(depth, piece) * piece;
    return {1, pitch, false, matrices == 1 ? 0 : pitch * lines};
}

ir::BufferInfo buffer_of_turned(const char* name, const GpuTurn& turn) {
    ir::BufferInfo buffer;
    buffer.name = std::string(name) + "_turned";
    buffer.element = scalar_of(turn.number);
    buffer.space = ir::Space::scratch;
    buffer.elements = turn.turned().column_stride * turn.lines * turn.matrices;
    buffer.alignment = ir::tile_piece_bytes;
    buffer.written = true;
    return buffer;
}

ir::Program gpu_turn(const char* name, const GpuTurn& turn) {
    const MatrixLayout &from = turn.layout, to = turn.turned();
    ir::Builder builder(std::string("turn_") + name);
    const ir::BufferInfo matrix =
        buffer_of_matrix(name, turn.number, from, turn.depth, turn.lines, turn.matrices, 1);
    const ir::Buffer factor = builder.add(matrix);
    const ir::Buffer turned = builder.add(buffer_of_turned(name, turn));
    const ir::Buffer square = builder.shared("square", matrix.element, side * row);

    const Integer down = ceil_divide(turn.depth, side), across = ceil_divide(turn.lines, side);
    builder.launch({.blocks = {down * across * turn.matrices, 1, 1}, .threads = {side * warps, 1, 1}});
    const Affine first_step = side * builder.block(0, 1, down);
    const Affine first_line = side * builder.block(0, down, across);
    const Affine number = turn.matrices == 1 ? Affine(0) : builder.block(0, down * across, 0);
    const Affine lane = builder.thread(0, 1, side);
    const auto for_lines = [&](auto&& body) {
        for (Integer line = 0; line < side; line += warps) body(builder.thread(0, side, warps) + line);
    };
    const auto inside = [&](const Affine& step, const Affine& line, auto&& body) {
        builder.if_then({{step - turn.depth, Relation::negative}, {line - turn.lines, Relation::negative}},
                        body);
    };
    for_lines([&](const Affine& own) {
        const Affine step = first_step + own, line = first_line + lane;
        inside(step, line, [&] {
            builder.store(square, row * own + lane,
                          builder.load(factor, from.row_stride * step + from.column_stride * line +
                                                   from.batch_stride * number));
        });
    });
    builder.barrier();
    for_lines([&](const Affine& own) {
        const Affine step = first_step + lane, line = first_line + own;
        inside(step, line, [&] {
            builder.store(turned, step + to.column_stride * line + to.batch_stride * number,
                          builder.load(square, row * lane + own));
        });
    });
    return builder.finish();
}

} // namespace swirl::gemm
