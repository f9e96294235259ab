#pragma once

#include "formula/formula.hpp"

#include <vector>

namespace swirl::formula {

/// A phase in units of 2⁻¹²⁸ of a turn, modulo one turn: integer multiples and sums of phases are exact.
class Phase {
public:
    __extension__ using Digits = unsigned __int128;

    explicit Phase(Digits digits) : digits_(digits) {}
    /// Of finite `turns`, rounded towards zero.
    static Phase of_turns(long double turns);

    friend Phase operator+(Phase a, Phase b) { return Phase(a.digits_ + b.digits_); }
    /// Of factors below 2⁶⁴ in absolute value.
    friend Phase operator*(Phase phase, Digits factor) { return Phase(phase.digits_ * factor); }

    /// e^{∓2πi·phase}, with an error of about one unit in the last place.
    Complex root(Direction direction) const;

private:
    Digits digits_;
};

/// Entry (k, j) of the chirp-z transform's matrix: e^{−2πi·j·(start + k·step)}.
Complex chirp_z_entry(const ChirpZ& transform, Integer k, Integer j);

// Bluestein (1970); Rabiner, Schafer and Rader (1969): jk = (j² + k² − (k−j)²)/2, so that
//   y_k = c_k · Σ_j h_{k−j} · (b_j · x_j),  b_j = e^{−2πi(j·start + j²·step/2)},  c_k = e^{−2πi·k²·step/2},  h_l = 1/c_l

Complex chirp_z_input(const ChirpZ& transform, Integer j);  ///< b_j
Complex chirp_z_output(const ChirpZ& transform, Integer k); ///< c_k
/// h_l for 1 − n ≤ l < m, at l modulo `size` ≥ n + m − 1.
std::vector<Complex> chirp_z_kernel(const ChirpZ& transform, Integer n, Integer m, Integer size);

} // namespace swirl::formula
