#pragma once

#include <swirl/matrix_product.hpp>

#include <complex>
#include <type_traits>

/// Data types of the routines: float, double, and their complex types.
namespace swirl::blas {

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<std::complex<T>> { using type = T; };

template <class T> using Real = typename RealOf<T>::type;
template <class T> constexpr bool is_complex_type = !std::is_same_v<T, Real<T>>;

template <class T> T conjugate(T x) {
    if constexpr (is_complex_type<T>) return {x.real(), -x.imag()};
    return x;
}

/// The real component of x; elements on a Hermitian matrix's diagonal are real.
template <class T> T real_part(T x) {
    if constexpr (is_complex_type<T>) return {x.real(), 0};
    return x;
}

/// a·b with four multiplications: operator* of std::complex also handles infinities, which no BLAS does.
template <class T> T product(T a, T b) {
    if constexpr (is_complex_type<T>)
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    else
        return a * b;
}

} // namespace swirl::blas
