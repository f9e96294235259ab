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
    // The last group has fewer rows. Both quotients are by constants: a division takes longer than they do together.
    const Integer in_last = rows % in_group;
    const Value is_full = builder.less(first, whole.integer(rows - in_last));
    coordinates.column = builder.select(is_full, whole.quotient(in_its_group, in_group),
                                        whole.quotient(in_its_group, in_last));
    const Value size = builder.select(is_full, whole.integer(in_group), whole.integer(in_last));
    coordinates.row = builder.add(first, whole.rest(in_its_group, coordinates.column, size));
    return coordinates;
}

std::optional<TileRasterization::Coordinates> TileRasterization::coordinates_of_block(ir::Builder& builder,
                                                                                      Integer blocks) const {
    const Integer in_group = std::min(group, rows);
    if (rows % in_group != 0) return std::nullopt;
    const auto digit = [&](Integer divisor, Integer modulus) {
        return modulus == 1 ? Affine(0) : builder.block(0, blocks * divisor, modulus);
    };
    return Coordinates{
        builder.index(in_group * digit(in_group * columns, rows / in_group) + digit(1, in_group)),
        builder.index(digit(in_group, columns)), builder.index(digit(rows * columns, matrices))};
}

} // namespace swirl::gemm
