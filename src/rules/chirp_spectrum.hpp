#pragma once

#include "formula/formula.hpp"

#include <memory>
#include <mutex>

namespace swirl::rules {

/// The spectrum of a truncated chirp in closed form, entry by entry:
///
///     d_j = Σ_{|k| < n} e^{πi·k²/n} · e^{−2πi·jk/M},   M ≥ 2n − 2;  for M = 2n − 2, k = n − 1 and 1 − n count once
///
/// This is the DFT of Bluestein's kernel. Error about 10⁻¹⁸·√n. Safe to use from several threads.
class ChirpSpectrum {
public:
    static constexpr Integer shortest = Integer{1} << 12; ///< least n: the expansion needs a large √n

    ChirpSpectrum(Integer n, Integer size);
    formula::Complex operator()(Integer j) const; ///< 0 ≤ j ≤ M/2; the spectrum is even

private:
    class Tables;
    const Tables& tables() const;

    Integer n_, size_;
    mutable std::once_flag once_;
    mutable std::shared_ptr<const Tables> tables_; ///< O(√M) roots, made for the first entry
};

} // namespace swirl::rules
