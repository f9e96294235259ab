#pragma once

#include "formula/formula.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::formula {

/// A biorthogonal filter bank of two channels. All filters have one even length; shorter ones are padded with zeros.
struct WaveletFilters {
    using Pair = std::array<std::vector<long double>, 2>; ///< low pass, high pass
    Pair analysis;
    Pair synthesis;

    Integer length() const { return static_cast<Integer>(analysis[0].size()); }
};

/// The filters from their definition, by spectral factorisation in long double; low passes sum to √2. Order and signs are
/// PyWavelets'. Daubechies, "Ten Lectures on Wavelets" (1992), sections 6.1 and 8.3; Cohen, Daubechies and Feauveau
/// (1992).
const WaveletFilters& filters_of(Wavelet wavelet);

/// haar, db2, …, db10, cdf5/3, cdf9/7.
std::string to_text(Wavelet wavelet);

/// Whether the low pass of the analysis and its high pass are symmetric about one tap each.
bool is_symmetric(Wavelet wavelet);

/// The number of coefficients of one level in each channel, of n samples: ⌈n/2⌉ for periodic ends and those of JPEG 2000, else
/// ⌊(n + length − 1)/2⌋, as the extended signal goes through both filters in full.
Integer coefficients_of_level(const WaveletTransform& transform, Integer n);
/// The same of details alone: those of JPEG 2000 are the others of n.
Integer details_of_level(const WaveletTransform& transform, Integer n);
/// Lengths of the signal, of the approximations of levels 1, 2, ….
std::vector<Integer> approximation_lengths(const WaveletTransform& transform, Integer n);

} // namespace swirl::formula
