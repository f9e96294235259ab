#pragma once

#include <swirl/matrix_product.hpp>

namespace swirl::fuzz {

template <class T> struct Type { using type = T; };
template <class... Ts> struct Types {};

using SumTypes = Types<float, double, std::complex<float>, std::complex<double>, std::int32_t>;
using ByteTypes = Types<std::int8_t, std::uint8_t>;
/// What is multiplied with sums of float, and what such sums are stored as.
using NarrowTypes =
    Types<float, bfloat16, float16, std::int8_t, std::uint8_t, unorm8, snorm8, unorm16, snorm16>;
/// What sums of int32 are stored as.
using StoredIntegers = Types<std::int32_t, float, bfloat16, float16, std::int8_t, std::uint8_t>;

/// Calls f with the C++ type of a data type.
template <class... Ts, class F> void with_type(DataType data_type, Types<Ts...> /*of*/, const F& f) {
    (void)((data_type == data_type_of<Ts>() && (f(Type<Ts>{}), true)) || ...);
}

/// Calls f with the types of sums, A, B and C.
template <class F> void with_types(const MatrixProduct& product, const F& f) {
    const auto with_operands = [&](auto sums, auto as, auto bs, auto cs) {
        with_type(product.type_of_a(), as, [&](auto a) {
            with_type(product.type_of_b(), bs,
                      [&](auto b) { with_type(product.type_of_c(), cs, [&](auto c) { f(sums, a, b, c); }); });
        });
    };
    if (product.data_type == DataType::int32)
        return with_operands(Type<std::int32_t>{}, ByteTypes{}, ByteTypes{}, StoredIntegers{});
    if (product.type_of_a() == DataType::float8_e4m3)
        return with_operands(Type<float>{}, Types<float8_e4m3>{}, Types<float8_e4m3>{},
                             Types<float, bfloat16, float16, std::int8_t>{});
    if (product.data_type == DataType::float32)
        return with_operands(Type<float>{}, NarrowTypes{}, NarrowTypes{}, NarrowTypes{});
    with_type(product.data_type, SumTypes{}, [&](auto t) { f(t, t, t, t); });
}

} // namespace swirl::fuzz
