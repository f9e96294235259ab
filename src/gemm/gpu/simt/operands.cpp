#include "gemm/gpu/simt/operands.hpp"

#include "gemm/gpu/matrix_buffer.hpp"
#include "gemm/gpu/scheduler/pointer_lists.hpp"
#include "gemm/gpu/tensor_map.hpp"
#include "gemm/whole_problem.hpp"

namespace swirl::gemm {

using ir::Value;

SimtOperands::SimtOperands(ir::Builder& builder, const CanonicalSimtGemm& gemm, const GpuEpilogue& epilogue,
                           Has has, std::optional<KernelPath> path)
    : builder_(builder),
      product_(gemm.product()),
      is_swapped_(gemm.canonical.is_swapped),
      schedule_(gemm.schedule),
      k_tiles_(gemm.k_tiles) {
    if (has == Has::all) add_operands();
    c_ = add(ir::ArgumentRole::c, product_.type_of_c(), product_.c, product_.rows, product_.columns,
             schedule_.c_vector_m, true);
    const DataType scalar = scalar_of(product_.data_type);
    if (!epilogue.is_identity())
        epilogue_.emplace(builder, is_swapped_ ? epilogue.transposed() : epilogue, scalar,
                          schedule_.c_vector_m);
    if (!epilogue.reductions.empty()) reductions_.emplace(builder, schedule_, product_, *epilogue_, path);
    alpha_beta_ = builder.add(buffer_of_alpha_beta(product_.data_type));
    multiplies_ = builder.parameter("multiplies", ir::ArgumentRole::multiplies);
    reads_c_ = builder.parameter("reads_c", ir::ArgumentRole::reads_c);
}

/// Alignment of an operand's data, in elements.
int SimtOperands::lanes_of_copy(std::size_t operand) const {
    const SmemTile& k_tile = k_tiles_[operand];
    return schedule_.is_tma(operand) ? static_cast<int>(k_tile.chunk()) : k_tile.elements_of_copy();
}

/// In the caller's order.
void SimtOperands::add_operands() {
    const OperandRoles roles = operand_roles(is_swapped_);
    const auto add_a = [&] {
        operands_[0] = add(roles.a, product_.type_of_a(), product_.a, product_.rows, product_.k,
                           lanes_of_copy(0), false);
    };
    if (!is_swapped_) add_a();
    operands_[1] =
        add(roles.b, product_.type_of_b(), product_.b, product_.k, product_.columns, lanes_of_copy(1), false);
    if (is_swapped_) add_a();
}

SimtOperands::Matrix SimtOperands::add(ir::ArgumentRole role, DataType data_type, const MatrixLayout& layout,
                                       Integer rows, Integer columns, int lanes, bool written) {
    ir::BufferInfo info = buffer_of_matrix(role, data_type, layout, rows, columns, product_.batch, lanes);
    info.written = written;
    info.absolute = product_.listed;
    const ir::Buffer buffer = builder_.add(info);
    return {buffer, product_.listed ? add_pointer_list(builder_, role, product_.batch) : 0,
            bytes_of(data_type)};
}

Value SimtOperands::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

Value SimtOperands::value_of(const IndexValue& index, Integer times) const {
    if (index.value == ir::no_value) return builder_.index(index.form * times);
    const Value value = times == 1 ? index.value : builder_.multiply(index.value, integer(times));
    if (index.form == Affine(0)) return value;
    return builder_.add(value, builder_.index(index.form * times));
}

/// Start of a tile along one extent, in accesses of `lanes` elements; adjacent elements are `stride` apart. The last
/// tile ends with C and overlaps the one before.
Value SimtOperands::tile_start(const IndexValue& block, Integer tile, Integer extent, Integer stride,
                               Integer lanes) const {
    const Value regular = value_of(block, tile * stride / lanes);
    if (extent % tile == 0) return regular;
    const Value is_regular = builder_.less(value_of(block, tile), integer(extent - tile + 1));
    return builder_.select(is_regular, regular, integer((extent - tile) * stride / lanes));
}

/// Index of a block's matrix times a constant; threads without a matrix use the last one.
Value SimtOperands::matrix_index(const TileCoordinates& coordinates, Integer times) const {
    const Value regular = value_of(coordinates.matrix, times);
    if (product_.batch % schedule_.matrices() == 0) return regular;
    const Value is_regular = builder_.less(value_of(coordinates.matrix), integer(product_.batch));
    return builder_.select(is_regular, regular, integer((product_.batch - 1) * times));
}

/// Start of the matrix, in accesses of `lanes` elements.
Value SimtOperands::matrix_start(const TileCoordinates& coordinates, const Matrix& matrix,
                                 const MatrixLayout& layout, Integer lanes) const {
    if (!product_.listed) return matrix_index(coordinates, layout.batch_stride / lanes);
    return offset_in_memory(builder_, matrix.list, matrix_index(coordinates, 1), lanes * matrix.bytes);
}

Integer SimtOperands::copies(std::size_t operand, Integer k) const {
    const Integer k_stride = operand == 0 ? product_.a.column_stride : product_.b.row_stride;
    return k * k_stride / k_tiles_[operand].elements_of_copy();
}

OperandSource SimtOperands::source(std::size_t operand, const TileCoordinates& coordinates,
                                   const IndexValue& first) const {
    const bool is_a = operand == 0;
    const Integer lanes = k_tiles_[operand].elements_of_copy();
    const MatrixLayout& layout = is_a ? product_.a : product_.b;
    OperandSource result;
    const Matrix& matrix = operands_[operand];
    result.buffer = matrix.buffer;
    const bool is_single = (is_a ? product_.rows : product_.columns) == 1;
    result.stride = is_single ? 0 : is_a ? layout.row_stride : layout.column_stride;
    result.k_stride = is_a ? layout.column_stride : layout.row_stride;
    const Value along =
        is_a ? tile_start(coordinates.row_block, schedule_.cta_tile.m, product_.rows, result.stride, lanes)
             : tile_start(coordinates.column_block, schedule_.cta_tile.n, product_.columns, result.stride,
                          lanes);
    result.start =
        builder_.add(builder_.add(along, matrix_start(coordinates, matrix, layout, lanes)), value_of(first));
    return result;
}

TmaLoader::Start SimtOperands::tma_start(std::size_t operand, const TileCoordinates& coordinates) const {
    const bool is_a = operand == 0;
    TmaLoader::Start result;
    result.mn = is_a ? tile_start(coordinates.row_block, schedule_.cta_tile.m, product_.rows, 1, 1)
                     : tile_start(coordinates.column_block, schedule_.cta_tile.n, product_.columns, 1, 1);
    if (has_batch_coordinate(is_a ? product_.a : product_.b, product_.batch))
        result.matrix = matrix_index(coordinates, 1);
    return result;
}

TileOfC SimtOperands::result(const TileCoordinates& coordinates) {
    TileOfC c;
    c.buffer = c_.buffer;
    c.alpha_beta = alpha_beta_;
    c.reads_c = reads_c_;
    const Integer rows = schedule_.cta_tile.m, columns = schedule_.cta_tile.n;
    const Integer lanes = schedule_.c_vector_m;
    const Value row = tile_start(coordinates.row_block, rows, product_.rows, product_.c.row_stride, lanes);
    const Value column =
        tile_start(coordinates.column_block, columns, product_.columns, product_.c.column_stride, lanes);
    c.start = builder_.add(builder_.add(row, column), matrix_start(coordinates, c_, product_.c, lanes));
    if (epilogue_) {
        epilogue_->begin({matrix_index(coordinates, 1),
                          tile_start(coordinates.row_block, rows, product_.rows, 1, lanes),
                          tile_start(coordinates.column_block, columns, product_.columns, 1, 1)});
        c.epilogue = &*epilogue_;
    }
    // The rest of an extent from a block's first element on, less a tile.
    const auto own = [&](const IndexValue& block, Integer extent, Integer tile) -> IndexValue {
        if (block.value == ir::no_value) return {extent - tile - block.form * tile};
        return {extent - tile - block.form * tile, builder_.multiply(block.value, integer(-tile))};
    };
    c.has_spare_matrices = product_.batch % schedule_.matrices() != 0;
    c.own_matrix = product_.batch - 1 - coordinates.matrix.form;
    c.has_shared_rows = product_.rows % rows != 0;
    c.has_shared_columns = product_.columns % columns != 0;
    c.own_row = own(coordinates.row_block, product_.rows, rows);
    c.own_column = own(coordinates.column_block, product_.columns, columns);
    return c;
}

void SimtOperands::reduce(TileOfC& c, const BlockCoordinates& block, const SimtThreadLayout& threads) {
    if (!reductions_) return;
    const TileCoordinates coordinates = TileCoordinates::of(block);
    ReducedTile tile;
    tile.matrix = matrix_index(coordinates, 1);
    tile.row = tile_start(coordinates.row_block, schedule_.cta_tile.m, product_.rows, 1, 1);
    tile.column = tile_start(coordinates.column_block, schedule_.cta_tile.n, product_.columns, 1, 1);
    tile.row_tile = block.row_block;
    tile.column_tile = block.column_block;
    tile.column_tiles = ceil_divide(product_.columns, Integer{schedule_.cta_tile.n});
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
