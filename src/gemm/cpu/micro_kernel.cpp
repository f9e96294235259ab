#include "gemm/cpu/micro_kernel.hpp"

#include "base/error.hpp"

namespace swirl::gemm {

ir::Program micro_kernel(const MicroKernel& kernel) {
    const Tile& tile = kernel.tile;
    ensure(kernel.rows >= 1 && kernel.rows <= tile.rows() && kernel.columns >= 1 &&
               kernel.columns <= tile.columns && kernel.unroll >= 1,
           "a tile of {} by {} of {} by {}", kernel.rows, kernel.columns, tile.rows(), tile.columns);
    const Integer components = scalars_in(kernel.data_type);
    const DataType scalar = scalar_of(kernel.data_type);
    const DataType panel = kernel.k_packing.is_plain() ? scalar : DataType::int32;
    const Integer a_k_stride = components * tile.rows(), b_k_stride = components * tile.columns;

    ir::Builder builder("gemm_micro_kernel");
    const TileOperand a{.buffer = builder.input("a", panel, kernel.max_k * a_k_stride, {ir::ArgumentRole::a}),
                        .k_stride = a_k_stride,
                        .component_stride = tile.rows(),
                        .is_padded = true,
                        .prefetch_rows = kernel.prefetch_a * a_k_stride};
    const TileOperand b{
        .buffer = builder.input("b", panel, (kernel.max_k + 1) * b_k_stride, {ir::ArgumentRole::b}),
        .k_stride = b_k_stride,
        .component_stride = tile.columns};
    TileResult c{.buffer = builder.output(
                     "c", scalar, components * (kernel.rows + (kernel.columns - 1) * kernel.max_stride),
                     {ir::ArgumentRole::c})};
    c.alpha = c.beta = builder.input("alpha_beta", scalar, 2 * components, {ir::ArgumentRole::alpha_beta});
    c.beta_offset = components;
    NextPanel next{.is_wanted = kernel.prefetch_next};
    if (next.is_wanted)
        next.buffer = builder.input("prefetched", scalar, scalars_per_cache_line(scalar),
                                    {ir::ArgumentRole::prefetched});
    EpilogueBuffers epilogue;
    if (!kernel.epilogue.is_identity()) {
        if (kernel.data_type == DataType::int32)
            c.finished = builder.output("epilogue_output", DataType::float32,
                                        kernel.rows + (kernel.columns - 1) * kernel.max_stride);
        epilogue = EpilogueBuffers(builder, kernel.data_type, kernel.epilogue, kernel.rows, kernel.columns);
        c.epilogue = &epilogue;
    }
    const ir::Buffer accumulators =
        builder.local("accumulators", scalar, TileWriter::accumulator_scalars(kernel.data_type, tile));
    const Affine k_main = builder.parameter("k_main"), k_extent = builder.parameter("k");
    c.column_stride = components * builder.parameter("column_stride");

    TileWriter writer(builder, kernel.data_type, tile.lanes, kernel.rows, kernel.columns, accumulators,
                      kernel.k_packing);
    if (kernel.prefetch_c) writer.prefetch(c);
    if (kernel.k_packing.correction != 0)
        writer.start_from(b.buffer, b_k_stride * k_extent);
    else
        writer.clear();
    writer.multiply(a, b, 0, k_main, kernel.unroll, next);
    if (kernel.unroll > 1) writer.multiply(a, b, k_main, k_extent, 1);
    writer.update(c, kernel.update);
    return builder.finish();
}

} // namespace swirl::gemm
