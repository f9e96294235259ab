/// Basic vocabulary of transform problems.
#pragma once

#include <cstdint>

namespace swirl {

/// All sizes, strides and indices.
using Integer = std::int64_t;

/// Sign of the exponent: forward is e^{-2πi jk/n}, backward e^{+2πi jk/n}, neither scaled.
enum class Direction : std::uint8_t { forward, backward };

constexpr Direction reversed(Direction d) {
    return d == Direction::forward ? Direction::backward : Direction::forward;
}

/// Real and imaginary components alternate in one array, or lie in two arrays.
enum class ComplexLayout : std::uint8_t { interleaved, planar };

enum class Placement : std::uint8_t { out_of_place, in_place };

/// Whether the transforms of a batch share an array given at execution, or each has its own.
enum class Sharing : std::uint8_t { shared, each };

/// What is computed. Real transforms follow FFTW's unnormalised definitions. FFTW has no types 5 to 8, which have the same
/// factors: Y_k = Σ_j c_j x_j f(π(j + a)(k + b)/N) with f = cos of a dct, sin of a dst, and c_j = 2, but 1 at the symmetric
/// point of the extension, where there is one. Up to the factor 2N, types 5 and 8 are their own inverses, 6 and 7 each
/// other's. Püschel and Moura (2008); Britanak, Yip and Rao (2007).
///
///         dct5   dct6     dct7     dct8          dst5     dst6     dst7     dst8
///   a     0      1/2      0        1/2           1        1/2      1        1/2
///   b     0      0        1/2      1/2           1        1        1/2      1/2
///   N     n−1/2  n−1/2    n−1/2    n+1/2         n+1/2    n+1/2    n+1/2    n−1/2
///   c=1   j=0    j=n−1    j=0      –             –        –        –        j=n−1
enum class TransformKind : std::uint8_t {
    dft,          ///< complex to complex
    real_dft,     ///< real to half spectrum (n/2+1 complex), forward; its inverse, backward
    wht,          ///< Walsh–Hadamard, natural order: entries (−1)^popcount(j & k)
    wht_dyadic,   ///< the same in dyadic (Paley) order: output k is that of `wht` at the reversed bits of k
    wht_sequency, ///< the same in sequency (Walsh) order: row k of the matrix changes its sign k times
    dct1,         ///< of at least two points
    dct2,
    dct3,
    dct4,
    dct5,
    dct6,
    dct7,
    dct8,
    dst1,
    dst2,
    dst3,
    dst4,
    dst5,
    dst6,
    dst7,
    dst8,
    dht,              ///< discrete Hartley transform, along each dimension
    r2hc,             ///< real to halfcomplex: r_0 r_1 … r_⌊n/2⌋ i_⌈n/2⌉−1 … i_1
    hc2r,             ///< halfcomplex to real
    mixed,            ///< several of the kinds from wht to hc2r, one for each dimension: see Transform::kinds
    convolution,      ///< complex, circular, with a kernel whose spectrum is given at execution
    real_convolution, ///< the same of reals, with the half spectrum of a real kernel
    formula,          ///< complex, multiplied by a matrix that a formula describes
    real_formula,     ///< the same of real data by a real matrix
};

} // namespace swirl
