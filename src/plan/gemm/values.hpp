#pragma once

#include <swirl/half.hpp>

#include "base/error.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "problem/data_type.hpp"
#include "problem/matrix_product.hpp"

#include <complex>
#include <cstdint>

/// Run-time inspection of scalars and dispatch on data types.
namespace swirl::planning {

/// Calls f with a value of the type of C, α and β; integers are computed modulo 2^32.
template <class F> void with_data_type(DataType data_type, F&& f) {
    switch (data_type) {
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::complex64: return f(std::complex<float>{});
    case DataType::complex128: return f(std::complex<double>{});
    case DataType::int32: return f(std::uint32_t{});
    default: throw InternalError("no accumulators of {}", name_of(data_type));
    }
}

/// Calls f with values of the types of C, A and B.
template <class F> void with_data_types(const MatrixProduct& product, F&& f) {
    if (!product.widens())
        return with_data_type(product.data_type, [&](auto example) { f(example, example, example); });
    const auto with_byte = [](DataType data_type, auto&& g) {
        data_type == DataType::int8 ? g(std::int8_t{}) : g(std::uint8_t{});
    };
    if (product.data_type == DataType::int32)
        with_byte(product.type_of_a(),
                  [&](auto a) { with_byte(product.type_of_b(), [&](auto b) { f(std::uint32_t{}, a, b); }); });
    else if (product.type_of_a() == DataType::bfloat16)
        f(float{}, bfloat16{}, bfloat16{});
    else
        f(float{}, float16{}, float16{});
}

template <class T> struct RealPart { using type = T; };
template <class R> struct RealPart<std::complex<R>> { using type = R; };

template <class T> T value_at(const void* pointer) { return *static_cast<const T*>(pointer); }

/// Special values of α and β.
enum class ScalarKind : std::uint8_t { zero, one, other };
template <class T> constexpr ScalarKind scalar_kind(const T& value) {
    return value == T(0) ? ScalarKind::zero : value == T(1) ? ScalarKind::one : ScalarKind::other;
}
ScalarKind scalar_kind(DataType data_type, const void* pointer);

/// Throws UserError if β ≠ 0 and C is stored in another type than the accumulators'.
void check_beta(const MatrixProduct& product, const void* beta);

/// How β updates C.
constexpr gemm::Update update_for(ScalarKind beta) {
    return beta == ScalarKind::zero  ? gemm::Update::overwrite
           : beta == ScalarKind::one ? gemm::Update::add
                                     : gemm::Update::scale;
}

} // namespace swirl::planning
