#pragma once

#include "base/error.hpp"
#include "blas/scalar_traits.hpp"
#include "problem/data_type.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>

/// Samples of the checks of kernels before their first use.
namespace swirl::blas::check_samples {

/// Elements before and after results, which must stay as they are.
constexpr Integer guard = 16;

/// Well mixed small integers, −2 … 2.
inline double small_integer(Integer i, Integer j, int which) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 0x9e3779b1U ^
                      static_cast<std::uint32_t>(j) * 0x85ebca77U ^
                      static_cast<std::uint32_t>(which) * 0xc2b2ae3dU;
    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    return static_cast<double>((x >> 16) % 5) - 2;
}

template <class T> T sample(Integer i, Integer j, int which) {
    const auto real = static_cast<Real<T>>(small_integer(i, j, which));
    if constexpr (is_complex_type<T>)
        return {real, static_cast<Real<T>>(small_integer(i, j, which + 10))};
    else
        return real;
}

/// On diagonals: their reciprocals are exact. Complex ones are real or imaginary.
template <class T> T diagonal_sample(Integer i) {
    constexpr auto half = static_cast<Real<T>>(0.5);
    if constexpr (is_complex_type<T>)
        if (i % 2 == 1) return {0, half};
    return T(half);
}

template <class T> T not_a_number() {
    constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
    if constexpr (is_complex_type<T>)
        return {nan, nan};
    else
        return nan;
}

/// Calls f with an element of the type.
template <class F> void with_element(DataType data_type, F&& f) {
    switch (data_type) {
    case DataType::float32: return f(float{});
    case DataType::float64: return f(double{});
    case DataType::complex64: return f(std::complex<float>{});
    case DataType::complex128: return f(std::complex<double>{});
    default: throw InternalError("the BLAS has no {}", name_of(data_type));
    }
}

[[noreturn]] inline void fail(const std::string& kernel, const std::string& what) {
    throw InternalError("kernel '{}' failed its check before first use: {}", kernel, what);
}

} // namespace swirl::blas::check_samples
