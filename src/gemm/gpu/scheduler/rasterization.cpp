#include "gemm/gpu/scheduler/rasterization.hpp"

namespace swirl::gemm {

namespace {

using ir::Value;

/// Integer division through float64; quotients are exact, as no value is near 2^50.
class Whole {
public:
    explicit Whole(ir::Builder& builder) : builder_(builder) {}

    Value integer(Integer value) const {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }
    Value less(Value a, Value b) const { return builder_.select(builder_.less(a, b), a, b); }
    Value quotient(Value a, Value b) const {
        const Value half = builder_.constant({DataType::float64, 1}, 0.5L);
        const Value exact = builder_.divide(builder_.add(builder_.convert(a, DataType::float64), half),
                                            builder_.convert(b, DataType::float64));
        return builder_.convert(exact, DataType::int64);
    }
    Value quotient(Value a, Integer b) const {
        if (b == 1) return a;
        const Value half = builder_.constant({DataType::float64, 1}, 0.5L);
        const Value inverse = builder_.constant({DataType::float64, 1}, 1.0L / static_cast<long double>(b));
        const Value exact =
            builder_.multiply(builder_.add(builder_.convert(a, DataType::float64), half), inverse);
        return builder_.convert(exact, DataType::int64);
    }
    Value rest(Value a, Value quotient, Value b) const {
        return builder_.subtract(a, builder_.multiply(quotient, b));
    }

private:
    ir::Builder& builder_;
};

} // namespace

TileRasterization::Coordinates TileRasterization::coordinates_of(ir::Builder& builder, ir::Value tile) const {
    const Whole whole(builder);
    Coordinates coordinates{};
    coordinates.matrix = matrices == 1 ? whole.integer(0) : whole.quotient(tile, rows * columns);
    const Value in_matrix =
        matrices == 1 ? tile : whole.rest(tile, coordinates.matrix, whole.integer(rows * columns));
    const Integer in_group = std::min(group, rows);
    const Value index = whole.quotient(in_matrix, in_group * columns);
    const Value in_its_group = whole.rest(in_matrix, index, whole.integer(in_group * columns));
    const Value first = builder.multiply(index, whole.integer(in_group));
    if (rows % in_group == 0) {
        coordinates.column = whole.quotient(in_its_group, in_group);
        coordinates.row =
            builder.add(first, whole.rest(in_its_group, coordinates.column, whole.integer(in_group)));
        return coordinates;
    }
    const Value size = whole.less(builder.subtract(whole.integer(rows), first), whole.integer(in_group));
    coordinates.column = whole.quotient(in_its_group, size);
    coordinates.row = builder.add(first, whole.rest(in_its_group, coordinates.column, size));
    return coordinates;
}

} // namespace swirl::gemm
