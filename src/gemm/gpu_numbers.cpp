#include "gemm/gpu_numbers.hpp"

#include "gemm/tile.hpp"

namespace swirl::gemm {

namespace {

/// Added to a number whose magnitude is below 2^22, it leaves a whole number.
constexpr long double rounder = 0x1.8p23L;

struct Bounds {
    long double least, greatest;
};

/// Of what is stored, before it is taken times its units.
Bounds bounds_of(Number number) {
    switch (number) {
    case Number::int8: return {-128, 127};
    case Number::uint8: return {0, 255};
    case Number::unorm8:
    case Number::unorm16: return {0, 1};
    default: return {-1, 1};
    }
}

/// Between the two, which have 0 between them: a positive and a negative part, each of which is 0 for NaN.
ir::Value kept_within(ir::Builder& builder, ir::Value x, const Bounds& bounds) {
    const auto number = [&](long double value) { return builder.constant(builder.type(x), value); };
    const ir::Value zero = number(0), greatest = number(bounds.greatest), least = number(bounds.least);
    const ir::Value below = builder.select(builder.less(x, greatest), x, greatest);
    const ir::Value positive = builder.select(builder.less(zero, x), below, zero);
    if (bounds.least == 0) return positive;
    const ir::Value above = builder.select(builder.less(least, x), x, least);
    return builder.add(positive, builder.select(builder.less(x, zero), above, zero));
}

} // namespace

ir::Value widened(ir::Builder& builder, ir::Value stored, Number number, ir::Scalar sums) {
    if (builder.type(stored).scalar == sums) return stored;
    const ir::Value value = builder.convert(stored, sums);
    if (number != Number::snorm8 && number != Number::snorm16) return value;
    const ir::Value least =
        builder.constant(builder.type(value), -static_cast<long double>(units_of(number)));
    return builder.select(builder.less(value, least), least, value);
}

void append_widened(ir::Builder& builder, ir::Value stored, Number number, ir::Scalar sums,
                    std::vector<ir::Value>& elements) {
    const ir::Value vector = widened(builder, stored, number, sums);
    const int lanes = builder.type(vector).lanes;
    for (int lane = 0; lane < lanes; ++lane)
        elements.push_back(lanes == 1 ? vector
                                      : builder.shuffle(vector, vector, {static_cast<std::int8_t>(lane)}));
}

ir::Value narrowed(ir::Builder& builder, ir::Value value, Number to) {
    const ir::Scalar scalar = scalar_of(to);
    if (ir::is_floating(scalar)) return builder.convert(value, scalar);
    const ir::Type type = builder.type(value);
    const ir::Value round = builder.constant(type, rounder);
    const ir::Value units = builder.constant(type, static_cast<long double>(units_of(to)));
    const ir::Value shifted = builder.fma(kept_within(builder, value, bounds_of(to)), units, round);
    return builder.convert(builder.subtract(shifted, round), scalar);
}

} // namespace swirl::gemm
