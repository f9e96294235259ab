#include "gemm/gpu_operands.hpp"

#include "gemm/gpu_lists.hpp"
#include "gemm/gpu_matrix_buffer.hpp"
#include "gemm/gpu_tensor.hpp"
#include "gemm/whole_problem.hpp"

namespace swirl::gemm {

using ir::Value;

GpuOperands::GpuOperands(ir::Builder& builder, const GpuOrientation& orientation, const GpuSchedule& schedule,
                         const GpuEpilogue& epilogue, Has has, std::optional<GpuRangeSide> side)
    : builder_(builder),
      orientation_(orientation),
      product_(orientation.product),
      schedule_(schedule),
      pieces_(pieces_of(schedule, product_)) {
    if (has == Has::all) add_factors();
    c_ =
        add("c", product_.number_of_c(), product_.c, product_.rows, product_.columns, schedule.c_lanes, true);
    const ir::Scalar scalar = scalar_of(product_.number);
    if (!epilogue.is_identity())
        epilogue_.emplace(builder, orientation.is_turned ? epilogue.turned() : epilogue, scalar,
                          schedule.c_lanes);
    if (!epilogue.reductions.empty()) reductions_.emplace(builder, schedule, product_, *epilogue_, side);
    ir::BufferInfo factors;
    factors.name = "factors";
    factors.element = scalar;
    factors.elements = 2 * scalars_in(product_.number);
    factors.by_value = true;
    factors_ = builder.add(factors);
    steps_ = builder.parameter("steps");
    reads_c_ = builder.parameter("reads_c");
}

/// To so many elements an operand's data is aligned.
int GpuOperands::lanes_of_copy(std::size_t operand) const {
    const GpuPiece& piece = pieces_[operand];
    return schedule_.is_bulk(operand) ? static_cast<int>(piece.chunk()) : piece.elements_of_copy();
}

/// In the caller's order.
void GpuOperands::add_factors() {
    const bool turned = orientation_.is_turned;
    const auto add_a = [&] {
        factors_of_product_[0] = add(turned ? "b" : "a", product_.number_of_a(), product_.a, product_.rows,
                                     product_.depth, lanes_of_copy(0), false);
    };
    if (!turned) add_a();
    factors_of_product_[1] = add(turned ? "a" : "b", product_.number_of_b(), product_.b, product_.depth,
                                 product_.columns, lanes_of_copy(1), false);
    if (turned) add_a();
}

GpuOperands::Matrix GpuOperands::add(const char* name, Number number, const MatrixLayout& layout,
                                     Integer rows, Integer columns, int lanes, bool written) {
    ir::BufferInfo info = buffer_of_matrix(name, number, layout, rows, columns, product_.batch, lanes);
    info.written = written;
    info.absolute = product_.listed;
    const ir::Buffer buffer = builder_.add(info);
    return {buffer, product_.listed ? add_list(builder_, name, product_.batch) : 0, bytes_of(number)};
}

Value GpuOperands::integer(Integer number) const {
    return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
}

Value GpuOperands::value_of(const GpuNumber& number, Integer times) const {
    if (number.value == ir::no_value) return builder_.index(number.form * times);
    const Value value = times == 1 ? number.value : builder_.multiply(number.value, integer(times));
    if (number.form == Affine(0)) return value;
    return builder_.add(value, builder_.index(number.form * times));
}

/// Where a tile begins along one extent, in accesses of `lanes` elements of which `stride` lie between neighbours: the last tile
/// ends with C, over the one before.
Value GpuOperands::tile_start(const GpuNumber& block, Integer tile, Integer extent, Integer stride,
                              Integer lanes) const {
    const Value regular = value_of(block, tile * stride / lanes);
    if (extent % tile == 0) return regular;
    const Value is_regular = builder_.less(value_of(block, tile), integer(extent - tile + 1));
    return builder_.select(is_regular, regular, integer((extent - tile) * stride / lanes));
}

/// The number of a block's matrix, so many times; threads that have none take the last one.
Value GpuOperands::matrix_number(const GpuTilePlace& place, Integer times) const {
    const Value regular = value_of(place.matrix, times);
    if (product_.batch % schedule_.matrices == 0) return regular;
    const Value is_regular = builder_.less(value_of(place.matrix), integer(product_.batch));
    return builder_.select(is_regular, regular, integer((product_.batch - 1) * times));
}

/// Where it begins, in accesses of so many elements.
Value GpuOperands::matrix_start(const GpuTilePlace& place, const Matrix& matrix, const MatrixLayout& layout,
                                Integer lanes) const {
    if (!product_.listed) return matrix_number(place, layout.batch_stride / lanes);
    return place_in_memory(builder_, matrix.list, matrix_number(place, 1), lanes * matrix.bytes);
}

Integer GpuOperands::copies(std::size_t operand, Integer steps) const {
    const Integer depth_stride = operand == 0 ? product_.a.column_stride : product_.b.row_stride;
    return steps * depth_stride / pieces_[operand].elements_of_copy();
}

GpuSource GpuOperands::source(std::size_t operand, const GpuTilePlace& place, const GpuNumber& first) const {
    const bool is_a = operand == 0;
    const Integer lanes = pieces_[operand].elements_of_copy();
    const MatrixLayout& layout = is_a ? product_.a : product_.b;
    GpuSource result;
    const Matrix& matrix = factors_of_product_[operand];
    result.buffer = matrix.buffer;
    const bool is_one_line = (is_a ? product_.rows : product_.columns) == 1;
    result.stride = is_one_line ? 0 : is_a ? layout.row_stride : layout.column_stride;
    result.depth_stride = is_a ? layout.column_stride : layout.row_stride;
    const Value along =
        is_a
            ? tile_start(place.row_block, schedule_.block_rows, product_.rows, result.stride, lanes)
            : tile_start(place.column_block, schedule_.block_columns, product_.columns, result.stride, lanes);
    result.start =
        builder_.add(builder_.add(along, matrix_start(place, matrix, layout, lanes)), value_of(first));
    return result;
}

GpuBulk::Start GpuOperands::bulk_start(std::size_t operand, const GpuTilePlace& place) const {
    const bool is_a = operand == 0;
    GpuBulk::Start result;
    result.line = is_a ? tile_start(place.row_block, schedule_.block_rows, product_.rows, 1, 1)
                       : tile_start(place.column_block, schedule_.block_columns, product_.columns, 1, 1);
    if (has_matrices(is_a ? product_.a : product_.b, product_.batch)) result.matrix = matrix_number(place, 1);
    return result;
}

GpuResult GpuOperands::result(const GpuTilePlace& place) {
    GpuResult c;
    c.buffer = c_.buffer;
    c.factors = factors_;
    c.reads_c = reads_c_;
    const Integer rows = schedule_.block_rows, columns = schedule_.block_columns;
    const Integer lanes = schedule_.c_lanes;
    const Value row = tile_start(place.row_block, rows, product_.rows, product_.c.row_stride, lanes);
    const Value column =
        tile_start(place.column_block, columns, product_.columns, product_.c.column_stride, lanes);
    c.start = builder_.add(builder_.add(row, column), matrix_start(place, c_, product_.c, lanes));
    if (epilogue_) {
        epilogue_->begin({matrix_number(place, 1), tile_start(place.row_block, rows, product_.rows, 1, lanes),
                          tile_start(place.column_block, columns, product_.columns, 1, 1)});
        c.epilogue = &*epilogue_;
    }
    // What is left of an extent from a block's first element on, less a tile.
    const auto own = [&](const GpuNumber& block, Integer extent, Integer tile) -> GpuNumber {
        if (block.value == ir::no_value) return {extent - tile - block.form * tile};
        return {extent - tile - block.form * tile, builder_.multiply(block.value, integer(-tile))};
    };
    c.has_spare_matrices = product_.batch % schedule_.matrices != 0;
    c.own_matrix = product_.batch - 1 - place.matrix.form;
    c.has_shared_rows = product_.rows % rows != 0;
    c.has_shared_columns = product_.columns % columns != 0;
    c.own_row = own(place.row_block, product_.rows, rows);
    c.own_column = own(place.column_block, product_.columns, columns);
    return c;
}

void GpuOperands::reduce(GpuResult& c, const BlockPlace& block, const GpuThreads& threads) {
    if (!reductions_) return;
    const GpuTilePlace place = GpuTilePlace::of(block);
    GpuReducedTile tile;
    tile.matrix = matrix_number(place, 1);
    tile.row = tile_start(place.row_block, schedule_.block_rows, product_.rows, 1, 1);
    tile.column = tile_start(place.column_block, schedule_.block_columns, product_.columns, 1, 1);
    tile.row_tile = block.row_block;
    tile.column_tile = block.column_block;
    tile.column_tiles = ceil_divide(product_.columns, Integer{schedule_.block_columns});
    tile.share = block.split;
    tile.own_row = c.own_row.form;
    tile.own_column = c.own_column.form;
    tile.own_matrix = c.own_matrix;
    tile.has_shared_rows = c.has_shared_rows;
    tile.has_shared_columns = c.has_shared_columns;
    tile.has_spare_matrices = c.has_spare_matrices;
    reductions_->begin(threads, tile);
    c.reductions = &*reductions_;
}

} // namespace swirl::gemm
