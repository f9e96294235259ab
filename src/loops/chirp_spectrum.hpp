#pragma once

#include "loops/twiddle.hpp"

#include <optional>
#include <vector>

/// Spectra of long chirps folded into the ends of codelets. The part of the stationary points is made of twiddles:
///
///     d_j = √n/M·e^{πi/4}·phase(j)·(1 + (−1)ⁿ·turn(j)) + …,   phase(j) = e^{−πi·n·j²/M²},   turn(j) = e^{2πi·n·j/M}
///
/// (formula/chirp_spectrum.hpp; backward, all are conjugated). A phase is a chirp: it is split like others.
namespace swirl::loops {

Twiddle phase_in_chirp_spectrum(const formula::ChirpSpectrumFunction& spectrum, const Affine& index,
                                const Extents& extents);
Twiddle turn_in_chirp_spectrum(const formula::ChirpSpectrumFunction& spectrum, const Affine& index,
                               const Extents& extents);

/// The spectrum by which entries are multiplied, each at its index.
struct ChirpSpectrumEntries {
    formula::ChirpSpectrumFunction function;
    std::vector<std::optional<Affine>> indices; ///< nothing: the entry is not multiplied
};
/// Takes the spectrum out of twiddles, if all entries that have one have the same.
std::optional<ChirpSpectrumEntries> take_chirp_spectrum(std::vector<Twiddle>& twiddles,
                                                        const Extents& extents);

} // namespace swirl::loops
