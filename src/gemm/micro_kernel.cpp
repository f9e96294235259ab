#include "gemm/micro_kernel.hpp"

#include "base/error.hpp"

namespace swirl::gemm {

ir::Program micro_kernel(const MicroKernel& kernel) {
    const Tile& tile = kernel.tile;
    ensure(kernel.rows >= 1 && kernel.rows <= tile.rows() && kernel.columns >= 1 &&
               kernel.columns <= tile.columns && kernel.unroll >= 1,
           "a tile of {} by {} of {} by {}", kernel.rows, kernel.columns, tile.rows(), tile.columns);
    const Integer parts = scalars_in(kernel.number);
    const ir::Scalar scalar = scalar_of(kernel.number);
    const ir::Scalar panel = kernel.grouping.is_plain() ? scalar : ir::Scalar::int32;
    const Integer a_step = parts * tile.rows(), b_step = parts * tile.columns;

    ir::Builder builder("gemm_tile");
    const TileOperand a{.buffer = builder.input("a", panel, kernel.most_depth * a_step),
                        .depth_stride = a_step,
                        .part_stride = tile.rows(),
                        .is_padded = true,
                        .prefetch_rows = kernel.prefetch_a * a_step};
    const TileOperand b{.buffer = builder.input("b", panel, (kernel.most_depth + 1) * b_step),
                        .depth_stride = b_step,
                        .part_stride = tile.columns};
    TileResult c{.buffer = builder.output("c", scalar,
                                          parts * (kernel.rows + (kernel.columns - 1) * kernel.most_stride))};
    c.alpha = c.beta = builder.input("factors", scalar, 2 * parts);
    c.beta_place = parts;
    TileAhead next{.is_wanted = kernel.prefetch_next};
    if (next.is_wanted) next.buffer = builder.input("next", scalar, scalars_in_line(scalar));
    EpilogueBuffers epilogue;
    if (!kernel.epilogue.is_identity()) {
        if (kernel.number == Number::int32)
            c.finished = builder.output("finished", ir::Scalar::float32,
                                        kernel.rows + (kernel.columns - 1) * kernel.most_stride);
        epilogue = EpilogueBuffers(builder, kernel.number, kernel.epilogue, kernel.rows, kernel.columns);
        c.epilogue = &epilogue;
    }
    const ir::Buffer sums = builder.local("sums", scalar, TileWriter::sums_needed(kernel.number, tile));
    const Affine steps = builder.parameter("steps"), depth = builder.parameter("depth");
    c.column_stride = parts * builder.parameter("column_stride");

    TileWriter writer(builder, kernel.number, tile.lanes, kernel.rows, kernel.columns, sums, kernel.grouping);
    if (kernel.prefetch_c) writer.prefetch(c);
    if (kernel.grouping.correction != 0)
        writer.start_from(b.buffer, b_step * depth);
    else
        writer.clear();
    writer.multiply(a, b, 0, steps, kernel.unroll, next);
    if (kernel.unroll > 1) writer.multiply(a, b, steps, depth, 1);
    writer.update(c, kernel.update);
    return builder.finish();
}

} // namespace swirl::gemm
