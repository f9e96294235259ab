#include "gemm/gpu_tile_layout.hpp"

#include "gemm/gpu_tensor.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_tile_reductions.hpp"
#include "gemm/gpu_turn.hpp"
#include "gemm/tile.hpp"

#include <utility>

namespace swirl::gemm {

namespace {

constexpr Integer signal_bytes = 8;

/// A factor's matrix as the copy engine sees it, and how many of its lines a block's tile has.
struct Source {
    const char* name;
    MatrixLayout layout;
    Number number;
    Integer rows, columns;
    bool lines_are_rows;
    Integer lines;
    Integer shares;
};

/// The terms of a matrix, or itself.
MatrixLayout with_terms(const Source& source, Integer batch, int terms) {
    const GpuTermsLayout to = terms_of(source.layout, source.rows, source.columns, batch, terms);
    return {to.along_rows ? 1 : to.pitch, to.along_rows ? to.pitch : 1, false, to.plane()};
}

GpuTileFactor factor_of(const Source& source, const GpuSchedule& schedule, Integer batch) {
    GpuTileFactor factor;
    factor.scalar = schedule.has_terms() ? ir::Scalar::bfloat16 : scalar_of(source.number);
    factor.lines = source.lines;
    factor.depth = schedule.block_depth;
    factor.shares = source.shares;
    factor.terms = schedule.terms;
    factor.is_shared = source.layout.batch_stride == 0;
    MatrixLayout layout = source.layout;
    Integer matrices = batch;
    if (schedule.has_terms()) {
        layout = with_terms(source, batch, schedule.terms);
        matrices = (source.layout.batch_stride == 0 ? 1 : batch) * schedule.terms;
    }
    factor.has_matrix = has_matrices(layout, matrices);
    const Integer all_lines = source.lines_are_rows ? source.rows : source.columns;
    const Integer depth = source.lines_are_rows ? source.columns : source.rows;
    const Integer line_stride = source.lines_are_rows ? layout.row_stride : layout.column_stride;
    const Integer depth_stride = source.lines_are_rows ? layout.column_stride : layout.row_stride;
    factor.layout.along_depth = depth_stride == 1;
    if (factor.layout.along_depth) {
        factor.layout.panel = source.lines * factor.row();
        factor.tensor =
            tensor_of(source.name, {depth, all_lines}, line_stride, {factor.row(), factor.lines_of_share()},
                      ir::tile_row_bytes, layout, matrices);
    } else {
        factor.layout.panel = factor.depth * factor.row();
        factor.tensor = tensor_of(source.name, {all_lines, depth}, depth_stride, {factor.row(), factor.depth},
                                  ir::tile_row_bytes, layout, matrices);
    }
    factor.tensor.rounds = schedule.rounds();
    return factor;
}

bool wants_depth(const GpuSchedule& schedule) { return schedule.rounds() && !schedule.has_terms(); }

} // namespace

bool has_fragments(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return wants_depth(schedule) && oriented.a.column_stride != 1 && schedule.a_along_depth == 0;
}

bool turns_a(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return wants_depth(schedule) && oriented.a.column_stride != 1 && schedule.a_along_depth != 0;
}

bool turns_b(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return wants_depth(schedule) && oriented.b.row_stride != 1;
}

Integer bytes_of_factor(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return schedule.has_terms() ? bytes_of(Number::bfloat16) : bytes_of(oriented.number_of_a());
}

Integer GpuTileFactor::place(Integer line, Integer step) const {
    if (layout.along_depth) return step / row() * layout.panel + line * row() + step % row();
    return line / row() * layout.panel + step * row();
}

std::vector<GpuTileFactor::Load> GpuTileFactor::loads() const {
    std::vector<Load> result;
    if (layout.along_depth)
        for (Integer step = 0; step < depth; step += row()) result.push_back({0, step, place(0, step)});
    else
        for (Integer line = 0; line < lines_of_share(); line += row())
            result.push_back({line, 0, place(line, 0)});
    return result;
}

Integer GpuTileFactor::scalars_of_share() const { return place(lines_of_share(), 0); }

std::array<GpuTileFactor, 2> tile_factors(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const MatrixLayout layout_of_b = turns_b(schedule, oriented) ? turn_of_b(oriented).turned() : oriented.b;
    MatrixLayout layout_of_a = oriented.a;
    if (turns_a(schedule, oriented)) {
        layout_of_a = turn_of_a(oriented).turned();
        std::swap(layout_of_a.row_stride, layout_of_a.column_stride);
    }
    const Source b = {"b_tiles",        layout_of_b, oriented.number_of_b(), oriented.depth,
                      oriented.columns, false,       schedule.block_columns, schedule.cluster_rows};
    const Source a = {"a_tiles",      layout_of_a, oriented.number_of_a(), oriented.rows,
                      oriented.depth, true,        schedule.block_rows,    schedule.cluster_columns};
    return {factor_of(b, schedule, oriented.batch), factor_of(a, schedule, oriented.batch)};
}

ir::TensorInfo tensor_of_result(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    const Integer row = ir::tile_row_bytes / bytes_of(oriented.number_of_c());
    const Integer columns = has_fragments(schedule, oriented) ? columns_of_round(schedule)
                                                              : schedule.block_columns / schedule.warpgroups;
    return tensor_of("c_tiles", {oriented.rows, oriented.columns}, oriented.c.column_stride, {row, columns},
                     ir::tile_row_bytes, oriented.c, oriented.batch);
}

std::optional<ir::TensorInfo> tensor_of_stores(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    ir::TensorInfo result = tensor_of_result(schedule, oriented);
    result.name = "c_chunks";
    result.extents.front() -= rows_beyond_chunks(oriented);
    if (result.extents.front() == 0) return std::nullopt;
    return result;
}

Integer tile_shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    Integer bytes = 0;
    for (const GpuTileFactor& factor : tile_factors(schedule, oriented))
        bytes += schedule.stages * factor.scalars() * size_in_bytes(factor.scalar);
    bytes += Integer{schedule.staged_rows} * schedule.block_columns * bytes_of(oriented.number_of_c());
    bytes += GpuTileReductions::shared_bytes(schedule, oriented);
    return bytes + (2 * schedule.stages + schedule.warpgroups) * signal_bytes + ir::tile_pattern_bytes;
}

} // namespace swirl::gemm
