#pragma once

#include "formula/formula.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace swirl::formula {

/// The spectrum of a truncated chirp in closed form, entry by entry:
///
///     d_j = Σ_{|k| < n} e^{πi·k²/n} · e^{−2πi·jk/M},   M ≥ 2n − 2;  for M = 2n − 2, k = n − 1 and 1 − n count once
///
/// This is the DFT of Bluestein's kernel. Error about 10⁻¹⁸·√n. Safe to use from several threads.
class ChirpSpectrum {
public:
    static constexpr Integer shortest = Integer{1} << 12; ///< least n: the expansion needs a large √n

    ChirpSpectrum(Integer n, Integer size);
    Complex operator()(Integer j) const; ///< 0 ≤ j ≤ M/2; the spectrum is even
    /// Value of a ChirpSpectrumFunction: d_j/M, or for the backward direction its conjugate; 0 ≤ j < M.
    Complex of_function(Integer j, Direction direction) const;

private:
    class Tables;
    const Tables& tables() const;

    Integer n_, size_;
    mutable std::once_flag once_;
    mutable std::shared_ptr<const Tables> tables_; ///< O(√M) roots, made for the first entry
};

/// Polynomials, by rising powers, for kernels that compute the part of d_j/M that comes from the ends of the range. With a = |j| the
/// distance of j from the nearest multiple of M,
///
///     V = p(t) + a·q(w),   t = (a − pole)/(a + pole),   w = a²·square − 1,
///
/// and V(−j) = −V(j): d_j/M = … − s·(cos 2πx/M − V·sin 2πx). See chirp_spectrum.cpp.
struct EndsOfChirp {
    double pole, square;                        ///< w = a²·square − 1
    std::vector<double> re, im;                 ///< p
    std::vector<double> regular_re, regular_im; ///< q
};
/// With errors below `error`·√n/M. The chirp of n points, in M.
EndsOfChirp ends_of_chirp(Integer n, Integer size, double error);

} // namespace swirl::formula
