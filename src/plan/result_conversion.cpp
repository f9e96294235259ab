#include "plan/result_conversion.hpp"

#include "base/error.hpp"

#include <bit>
#include <cmath>

namespace swirl::planning {

namespace {

/// Rounds to the nearest integer, ties to even, and clamps to T's range; NaN becomes 0. `rounder` clears the fraction.
template <class T> T to_byte(float x) {
    constexpr float least = std::is_signed_v<T> ? -128 : 0, greatest = std::is_signed_v<T> ? 127 : 255;
    constexpr float rounder = 0x1.8p23F;
    float kept = x == x ? x : 0.0F;
    kept = kept < least ? least : kept;
    kept = greatest < kept ? greatest : kept;
    return static_cast<T>(std::bit_cast<std::uint32_t>(kept + rounder));
}

template <class T, class F>
void store_all(const float* numbers, const MatrixProduct& product, void* to, F&& converted) {
    const Integer stride = product.c.row_stride;
    for (Integer column = 0; column < product.columns; ++column) {
        const float* const from = numbers + column * product.rows;
        T* const c = static_cast<T*>(to) + column * product.c.column_stride;
        if (stride == 1)
            for (Integer row = 0; row < product.rows; ++row) c[row] = converted(from[row]);
        else
            for (Integer row = 0; row < product.rows; ++row) c[row * stride] = converted(from[row]);
    }
}

} // namespace

void convert_and_store(const float* numbers, const MatrixProduct& product, void* c) {
    switch (product.type_of_c()) {
    case DataType::bfloat16:
        return store_all<bfloat16>(numbers, product, c, [](float x) { return bfloat16(x); });
    case DataType::float16:
        return store_all<float16>(numbers, product, c, [](float x) { return float16(x); });
    case DataType::unorm8: return store_all<unorm8>(numbers, product, c, [](float x) { return unorm8(x); });
    case DataType::snorm8: return store_all<snorm8>(numbers, product, c, [](float x) { return snorm8(x); });
    case DataType::unorm16:
        return store_all<unorm16>(numbers, product, c, [](float x) { return unorm16(x); });
    case DataType::snorm16:
        return store_all<snorm16>(numbers, product, c, [](float x) { return snorm16(x); });
    case DataType::int8: return store_all<std::int8_t>(numbers, product, c, to_byte<std::int8_t>);
    case DataType::uint8: return store_all<std::uint8_t>(numbers, product, c, to_byte<std::uint8_t>);
    default: throw InternalError("sums stored as {}", name_of(product.type_of_c()));
    }
}

} // namespace swirl::planning
