#pragma once

#include <swirl/matrix_product.hpp>

#include <complex>
#include <type_traits>

/// The numbers that routines are written for once: float, double and their complex numbers.
namespace swirl::blas {

template <class T> struct NumberTraits;
template <> struct NumberTraits<float> {
    using Real = float;
    static constexpr Number number = Number::float32;
};
template <> struct NumberTraits<double> {
    using Real = double;
    static constexpr Number number = Number::float64;
};
template <> struct NumberTraits<std::complex<float>> {
    using Real = float;
    static constexpr Number number = Number::complex32;
};
template <> struct NumberTraits<std::complex<double>> {
    using Real = double;
    static constexpr Number number = Number::complex64;
};

template <class T> using Real = typename NumberTraits<T>::Real;
template <class T> constexpr bool is_complex_number = !std::is_same_v<T, Real<T>>;

template <class T> T conjugate(T x) {
    if constexpr (is_complex_number<T>) return {x.real(), -x.imag()};
    return x;
}

/// x without its imaginary part, which what stands on a Hermitian matrix's diagonal does not have.
template <class T> T real_part(T x) {
    if constexpr (is_complex_number<T>) return {x.real(), 0};
    return x;
}

/// a·b by four products: operator* of complex numbers looks for infinities, which no BLAS does.
template <class T> T product(T a, T b) {
    if constexpr (is_complex_number<T>)
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    else
        return a * b;
}

} // namespace swirl::blas
