#pragma once

#include <swirl/stft.hpp>

#include "formula/formula.hpp"

#include <vector>

/// Triangular filters of bins of a spectrum, evenly spaced on a mel scale.
namespace swirl::api {

/// A filter's weights of the bins from `first` on; none if no bin lies within it.
struct MelFilter {
    Integer first = 0;
    std::vector<double> weights = {};
};

/// The filters of bins k·sample_rate/n_fft, k ≤ n_fft/2. Filter m rises from corner m to 1 at corner m + 1 and falls to corner m + 2:
/// O'Shaughnessy (1987) for HTK's scale; Slaney, "Auditory Toolbox" (1998).
std::vector<MelFilter> filters_of(const MelFilters& mel, Integer n_fft);

/// The matrix from n_fft/2 + 1 bins to one value for each filter: bands of a few rows, each straight-line code.
formula::Formula mel_matrix(const std::vector<MelFilter>& filters, Integer n_fft);

} // namespace swirl::api
