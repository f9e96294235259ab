#include "gemm/gpu/prologue/conversions.hpp"

#include "gemm/scalar.hpp"

namespace swirl::gemm {

namespace {

/// Adding it to a number of magnitude below 2^22 rounds to an integer.
constexpr long double rounder = 0x1.8p23L;

struct Bounds {
    long double least, greatest;
};

/// Bounds of the value, before its multiplication by normalized_scale.
Bounds bounds_of(DataType data_type) {
    switch (data_type) {
    case DataType::int8: return {-128, 127};
    case DataType::uint8: return {0, 255};
    case DataType::unorm8:
    case DataType::unorm16: return {0, 1};
    default: return {-1, 1};
    }
}

/// Clamps to bounds around 0, as the sum of a nonnegative and a nonpositive term, both 0 for NaN.
ir::Value kept_within(ir::Builder& builder, ir::Value x, const Bounds& bounds) {
    const auto constant = [&](long double value) { return builder.constant(builder.type(x), value); };
    const ir::Value zero = constant(0), greatest = constant(bounds.greatest), least = constant(bounds.least);
    const ir::Value below = builder.select(builder.less(x, greatest), x, greatest);
    const ir::Value positive = builder.select(builder.less(zero, x), below, zero);
    if (bounds.least == 0) return positive;
    const ir::Value above = builder.select(builder.less(least, x), x, least);
    return builder.add(positive, builder.select(builder.less(x, zero), above, zero));
}

} // namespace

ir::Value widened(ir::Builder& builder, ir::Value stored, DataType data_type, DataType accumulator_type) {
    if (builder.type(stored).scalar == accumulator_type) return stored;
    const ir::Value value = builder.convert(stored, accumulator_type);
    if (data_type != DataType::snorm8 && data_type != DataType::snorm16) return value;
    const ir::Value least =
        builder.constant(builder.type(value), -static_cast<long double>(normalized_scale(data_type)));
    return builder.select(builder.less(value, least), least, value);
}

void append_widened(ir::Builder& builder, ir::Value stored, DataType data_type, DataType accumulator_type,
                    std::vector<ir::Value>& elements) {
    const ir::Value vector = widened(builder, stored, data_type, accumulator_type);
    const int lanes = builder.type(vector).lanes;
    for (int lane = 0; lane < lanes; ++lane)
        elements.push_back(lanes == 1 ? vector
                                      : builder.shuffle(vector, vector, {static_cast<std::int8_t>(lane)}));
}

ir::Value narrowed(ir::Builder& builder, ir::Value value, DataType to) {
    const DataType scalar = scalar_of(to);
    if (is_floating(scalar)) return builder.convert(value, scalar);
    const ir::Type type = builder.type(value);
    const ir::Value round = builder.constant(type, rounder);
    const ir::Value units = builder.constant(type, static_cast<long double>(normalized_scale(to)));
    const ir::Value shifted = builder.fma(kept_within(builder, value, bounds_of(to)), units, round);
    return builder.convert(builder.subtract(shifted, round), scalar);
}

} // namespace swirl::gemm
