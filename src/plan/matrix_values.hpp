#pragma once

#include "gemm/tile_writer.hpp"

#include <complex>

/// What is to be known of matrices' numbers while a program runs.
namespace swirl::planning {

/// f with an example of the type of these numbers.
template <class F> void with_number(Number number, F&& f) {
    switch (number) {
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::complex32: return f(std::complex<float>{});
    case Number::complex64: return f(std::complex<double>{});
    }
}

template <class T> struct RealPart { using type = T; };
template <class R> struct RealPart<std::complex<R>> { using type = R; };

template <class T> T value_at(const void* pointer) { return *static_cast<const T*>(pointer); }

/// What is special about a number.
using Factor = detail::Factor;
Factor factor_kind(Number number, const void* pointer);

/// What β asks for.
constexpr gemm::Update update_for(Factor beta) {
    return beta == Factor::zero  ? gemm::Update::overwrite
           : beta == Factor::one ? gemm::Update::add
                                 : gemm::Update::scale;
}

/// C = β·C; where β is zero C is not read.
void scale_matrix(const MatrixProduct& product, const void* beta, void* c);

} // namespace swirl::planning
