/// Matrices as formulas: products, Kronecker products and direct sums of transforms, diagonals and permutations.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace swirl {

namespace formula {
class Formula;
} // namespace formula

/// A matrix as a term of the language SPL (Püschel et al., "SPIRAL", 2005), such as Cooley and Tukey's algorithm,
/// (DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2). It multiplies a vector of as many entries as it has columns.
/// An immutable value, cheap to copy.
///
///   operators    ⊗  ·  ⊕         Kronecker product, product, direct sum: ⊗ binds tightest, ⊕ loosest
///                (x)  *  (+)      the same in ASCII
///   transforms   DFT(n)  DFT(n, backward)  WHT(n)  WHT(n, dyadic)  WHT(n, sequency)  DCT1(n) … DCT8(n)  DST1(n) … DST8(n)  DHT(n), with FFTW's factors
///                RDFT(n)          n reals to r_0 r_1 … r_{n/2} i_{(n+1)/2−1} … i_1;  RDFT(n, backward) takes them back
///                CZT(n, m, start, step)   chirp-z transform on the unit circle: output k < m of n inputs is the spectrum
///                                 at frequency start + k·step, in cycles per sample (0.25 or 1/4), as of a zoom
///                MDCT(n)          2n reals to n, n even: 2·Σ x_j cos(π(j + 1/2 + n/2)(k + 1/2)/n); IMDCT(n) its transpose
///   filters      DWT(n, wavelet, levels, ends)   n samples to the approximation of the last level, then details from coarse to
///                                 fine; IDWT(…) takes them back. Wavelets haar, db2 … db10, cdf5/3, cdf9/7 (bior2.2, bior4.4);
///                                 beyond its ends the signal is zero, periodic (PyWavelets' periodization), symmetric
///                                 (half-point; the default) or reflect (whole-point), as PyWavelets defines them, or for the
///                                 cdf wavelets jpeg2000 (whole-point, as many coefficients as samples)
///                FIR(n; h_0, h_1, …)   y_i = Σ h_j x_{i−j}, at most 128 taps;  FIR(n, ends; …)  FIR(n, full; …)  FIR(n, valid; …)
///                                 after the ends of these terms `transposed` gives the transpose
///                circulant(h_0, h_1, …)   the matrix with this first column
///   matrices     I(n)  F2  matrix(rows, columns; a_00, a_01, …)  diag(d_0, d_1, …)
///                T(mn, n)         twiddle factors ω_mn^(j·k) at j·n + k;  T(mn, n, backward)
///   data moves   L(mn, m)         reads at stride m: entry i·n + j of the result is entry j·m + i
///                J(n)             reversal
///                perm(map)  G(map)  S(map)   permutation, gather and scatter by an index map
///   enclosing    Σ(i0 < n)[A]  sum(i0 < n)[A]     a sum over matrices whose index maps contain i0
///                real[A]          the real matrix of a complex A, on pairs of real and imaginary component
///   values       1.5  -2i  1-2i, without spaces inside;  sizes  1024  2^10
class SWIRL_API MatrixFormula {
public:
    static constexpr std::size_t longest_text = std::size_t{1} << 16; ///< bytes

    MatrixFormula() = default; ///< none
    /// Parses the text. SyntaxError shows what is wrong and where; two matrices that do not fit are named with their
    /// sizes.
    explicit MatrixFormula(std::string_view text);

    bool is_empty() const { return term_ == nullptr; }
    std::string text() const; ///< parses to an equal formula; empty for none
    Integer rows() const;     ///< 0 for none
    Integer columns() const;  ///< 0 for none
    bool is_real() const;     ///< whether each transform, diagonal and matrix in it is real
    SWIRL_API friend bool operator==(const MatrixFormula& a, const MatrixFormula& b);
    friend bool operator!=(const MatrixFormula& a, const MatrixFormula& b) { return !(a == b); }

    /// For the library's own use.
    explicit MatrixFormula(const formula::Formula& term);
    const formula::Formula& term() const { return *term_; }

private:
    std::shared_ptr<const formula::Formula> term_;
};

} // namespace swirl
