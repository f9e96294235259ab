#pragma once

#include "base/error.hpp"
#include "gemm/tile_writer.hpp"
#include "problem/matrix_product.hpp"

#include <complex>
#include <cstdint>

/// What is to be known of matrices' numbers while a program runs.
namespace swirl::planning {

/// f with an example of the type of C's numbers, α and β; integers are taken modulo 2^32.
template <class F> void with_number(Number number, F&& f) {
    switch (number) {
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::complex32: return f(std::complex<float>{});
    case Number::complex64: return f(std::complex<double>{});
    case Number::int32: return f(std::uint32_t{});
    case Number::bfloat16:
    case Number::float16:
    case Number::float8_e4m3:
    case Number::int8:
    case Number::uint8:
    case Number::unorm8:
    case Number::snorm8:
    case Number::unorm16:
    case Number::snorm16: break;
    }
    throw InternalError("no sums of {}", word_of(number));
}

/// f with examples of the types of C's, A's and B's numbers.
template <class F> void with_numbers(const MatrixProduct& product, F&& f) {
    if (!product.widens())
        return with_number(product.number, [&](auto example) { f(example, example, example); });
    const auto with_byte = [](Number number, auto&& g) {
        number == Number::int8 ? g(std::int8_t{}) : g(std::uint8_t{});
    };
    if (product.number == Number::int32)
        with_byte(product.number_of_a(), [&](auto a) {
            with_byte(product.number_of_b(), [&](auto b) { f(std::uint32_t{}, a, b); });
        });
    else if (product.number_of_a() == Number::bfloat16)
        f(float{}, bfloat16{}, bfloat16{});
    else
        f(float{}, float16{}, float16{});
}

template <class T> struct RealPart { using type = T; };
template <class R> struct RealPart<std::complex<R>> { using type = R; };

template <class T> T value_at(const void* pointer) { return *static_cast<const T*>(pointer); }

/// What is special about a number.
using Factor = detail::Factor;
Factor factor_kind(Number number, const void* pointer);

/// UserError where C is to be read and is stored otherwise than sums.
void check_beta(const MatrixProduct& product, const void* beta);

/// What β asks for.
constexpr gemm::Update update_for(Factor beta) {
    return beta == Factor::zero  ? gemm::Update::overwrite
           : beta == Factor::one ? gemm::Update::add
                                 : gemm::Update::scale;
}

/// C = β·C; where β is zero C is not read.
void scale_matrix(const MatrixProduct& product, const void* beta, void* c);

} // namespace swirl::planning
