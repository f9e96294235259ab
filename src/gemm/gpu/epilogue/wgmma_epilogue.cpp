#include "gemm/gpu/epilogue/wgmma_epilogue.hpp"

#include "gemm/gpu/simt/layout.hpp"

namespace swirl::gemm {

using ir::Value;

WgmmaEpilogue::WgmmaEpilogue(ir::Builder& builder, const GpuEpilogue& epilogue,
                             const MatrixProduct& canonical, int cta_m, int cta_n)
    : builder_(builder),
      lanes_(canonical.rows % pair == 0 ? pair : 1),
      writer_(builder, epilogue, DataType::float32, lanes_),
      rows_(canonical.rows),
      columns_(canonical.columns),
      may_leave_rows_(!epilogue.arrays.empty() && canonical.rows % cta_m != 0),
      may_leave_columns_(!epilogue.arrays.empty() && canonical.columns % cta_n != 0) {}

Value WgmmaEpilogue::integer(Integer value) const {
    return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
}

Value WgmmaEpilogue::at_most(Value value, Integer most) const {
    return builder_.select(builder_.less(value, integer(most)), value, integer(most));
}

template <class F>
Value WgmmaEpilogue::for_lanes(const Start& start, const Coordinates& coordinates, Value elements, F&& f) {
    if (lanes_ == pair) return f(begin(start, coordinates, 0), elements);
    std::vector<Value> finished;
    for (Integer lane = 0; lane < pair; ++lane) {
        const Value element = builder_.shuffle(elements, elements, {static_cast<std::int8_t>(lane)});
        finished.push_back(f(begin(start, coordinates, lane), element));
    }
    return join_lanes(builder_, finished);
}

Value WgmmaEpilogue::finish(const Start& start, const Coordinates& coordinates, Value elements) {
    return for_lanes(
        start, coordinates, elements,
        [&](const GpuEpilogueWriter::Coordinates& at, Value lanes) { return writer_.finish(at, lanes); });
}

Value WgmmaEpilogue::reduced(std::size_t reduction, const Start& start, const Coordinates& coordinates,
                             Value elements) {
    return for_lanes(start, coordinates, elements,
                     [&](const GpuEpilogueWriter::Coordinates& at, Value lanes) {
                         return writer_.reduced(reduction, at, lanes);
                     });
}

GpuEpilogueWriter::Coordinates WgmmaEpilogue::begin(const Start& start, const Coordinates& coordinates,
                                                    Integer lane) {
    const Integer units = pair / lanes_; // of the writer's rows, per pair
    GpuEpilogueWriter::Start at = {start.matrix, start.row_pair, start.column};
    Value& row = at[GpuEpilogue::row];
    Value& column = at[GpuEpilogue::column];
    if (coordinates.more_row_pairs != ir::no_value) row = builder_.add(row, coordinates.more_row_pairs);
    if (units > 1) row = builder_.multiply(row, integer(units));
    Affine row_units = coordinates.row_pair * units + lane, own_column = coordinates.column;
    if (may_leave_rows_) {
        row = at_most(builder_.add(row, builder_.index(row_units)), rows_ / lanes_ - 1);
        row_units = 0;
    }
    if (may_leave_columns_) {
        column = at_most(builder_.add(column, builder_.index(own_column)), columns_ - 1);
        own_column = 0;
    }
    writer_.begin(at);
    return {Affine(0), row_units * lanes_, own_column};
}

} // namespace swirl::gemm
