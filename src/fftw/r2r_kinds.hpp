#pragma once

#include <swirl/kinds.hpp>

#include <array>

namespace swirl::fftw {

/// FFTW's kinds of real transforms, by their values.
constexpr std::array r2r_kinds = {TransformKind::r2hc, TransformKind::hc2r, TransformKind::dht,
                                  TransformKind::dct1, TransformKind::dct3, TransformKind::dct2,
                                  TransformKind::dct4, TransformKind::dst1, TransformKind::dst3,
                                  TransformKind::dst2, TransformKind::dst4};

/// Whether there is a kind of this value.
constexpr bool is_r2r_kind(int value) { return value >= 0 && value < static_cast<int>(r2r_kinds.size()); }

} // namespace swirl::fftw
