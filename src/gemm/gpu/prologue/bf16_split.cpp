#include "gemm/gpu/prologue/bf16_split.hpp"

#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/whole_problem.hpp"
#include "ir/tile.hpp"

#include <cstdlib>
#include <string>
#include <tuple>

namespace swirl::gemm {

namespace {

using ir::Value;

constexpr Integer threads = 128;
constexpr Integer elements_per_chunk = ir::swizzle_chunk_bytes / 2; ///< of bfloat16
constexpr Integer widest_access = 4;                                ///< elements per access

/// Direction in which a matrix's split terms are contiguous: that of the smaller stride; of equal strides, the longer
/// extent; never an extent of 1. The transposed matrix yields the same direction, as kernels may see the problem
/// swapped.
bool is_along_rows(const MatrixLayout& layout, Integer rows, Integer columns) {
    const auto rank = [](Integer stride, Integer extent) {
        return std::tuple(extent == 1, std::abs(stride) != 1, std::abs(stride), stride, -extent);
    };
    return rank(layout.row_stride, rows) <= rank(layout.column_stride, columns);
}

/// The longest vector that is aligned in every row or column.
int lanes_of(const MatrixLayout& layout, const Bf16SplitLayout& terms) {
    const Integer stride = terms.along_rows ? layout.row_stride : layout.column_stride;
    const Integer pitch = terms.along_rows ? layout.column_stride : layout.row_stride;
    const bool is_aligned = stride == 1 && pitch % widest_access == 0 &&
                            layout.batch_stride % widest_access == 0 && terms.extent % widest_access == 0;
    return is_aligned ? static_cast<int>(widest_access) : 1;
}

} // namespace

std::vector<std::array<int, 2>> bf16_split_products(int terms) {
    std::vector<std::array<int, 2>> result;
    for (int both = terms - 1; both >= 0; --both)
        for (int of_a = 0; of_a <= both; ++of_a) result.push_back({of_a, both - of_a});
    return result;
}

std::array<ir::Buffer, 2> tables_of_bf16_split_products(ir::Builder& builder, int terms) {
    std::array<std::vector<Integer>, 2> indices;
    for (const auto& [of_a, of_b] : bf16_split_products(terms)) {
        indices[0].push_back(of_b);
        indices[1].push_back(of_a);
    }
    const ir::Buffer of_b = builder.table("bf16_terms_b", indices[0]);
    return {of_b, builder.table("bf16_terms_a", indices[1])};
}

Bf16SplitLayout bf16_split_layout(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch,
                                  int terms) {
    Bf16SplitLayout result;
    result.along_rows = is_along_rows(layout, rows, columns);
    result.extent = result.along_rows ? rows : columns;
    result.others = result.along_rows ? columns : rows;
    result.pitch = ceil_divide(result.extent, elements_per_chunk) * elements_per_chunk;
    result.terms = terms;
    result.planes = (layout.batch_stride == 0 ? 1 : batch) * terms;
    return result;
}

ir::BufferInfo buffer_of_bf16_split(ir::ArgumentRole operand, const Bf16SplitLayout& terms) {
    ir::BufferInfo buffer;
    buffer.name = std::string(ir::name_of(operand)) + "_bf16_split";
    buffer.element = DataType::bfloat16;
    buffer.space = ir::Space::scratch;
    buffer.elements = terms.elements();
    buffer.alignment = ir::swizzle_chunk_bytes;
    buffer.written = true;
    return buffer;
}

ir::Program bf16_split_kernel(ir::ArgumentRole operand, const Bf16SplitMatrix& matrix) {
    const MatrixLayout& layout = matrix.layout;
    const Integer rows = matrix.rows, columns = matrix.columns, batch = matrix.batch;
    const int terms = matrix.terms;
    const auto& range = matrix.range;
    const Bf16SplitLayout to = bf16_split_layout(layout, rows, columns, batch, terms);
    const int lanes = lanes_of(layout, to);
    ir::Builder builder("split_" + std::string(ir::name_of(operand)));
    const ir::Buffer from =
        builder.add(buffer_of_matrix(operand, DataType::float32, layout, rows, columns, batch, lanes));
    const ir::Buffer into = builder.add(buffer_of_bf16_split(operand, to));

    const Integer blocks_per_row = ceil_divide(to.extent, threads * lanes), matrices = to.planes / terms;
    builder.launch({.blocks = {blocks_per_row * to.others * matrices, 1, 1}, .threads = {threads, 1, 1}});
    const Affine block = blocks_per_row == 1 ? Affine(0) : builder.block(0, 1, blocks_per_row);
    const Affine row_or_column = builder.block(0, blocks_per_row, matrices == 1 ? 0 : to.others);
    const Affine batch_index = matrices == 1 ? Affine(0) : builder.block(0, blocks_per_row * to.others, 0);
    const Affine offset = block * (threads * lanes) + builder.thread(0) * lanes;
    std::optional<RangeChecker> watch;
    if (range) watch.emplace(builder, *range);
    const auto write = [&] {
        const Affine at = offset * (to.along_rows ? layout.row_stride : layout.column_stride) +
                          row_or_column * (to.along_rows ? layout.column_stride : layout.row_stride) +
                          batch_index * layout.batch_stride;
        Value rest = builder.load(from, at, {.lanes = lanes});
        const Value whole = rest;
        for (Integer term = 0; term < terms; ++term) {
            const Value rounded = builder.convert(rest, DataType::bfloat16);
            builder.store(into, offset + row_or_column * to.pitch + (batch_index * terms + term) * to.plane(),
                          rounded);
            if (term + 1 < terms) rest = builder.subtract(rest, builder.convert(rounded, DataType::float32));
        }
        if (watch) watch->check_values(whole);
    };
    if (to.extent % (threads * lanes) == 0)
        write();
    else
        builder.if_then({{offset - to.extent, ir::Condition::Relation::negative}}, write);
    if (watch) watch->finish();
    return builder.finish();
}

} // namespace swirl::gemm
