#pragma once

#include "problem/kinds.hpp"

#include <string_view>

namespace swirl {

/// An enumerator and its keyword in the text of a problem; the first of each table is the default.
template <class Value> struct Word {
    Value value;
    const char* text;
};

inline constexpr Word<TransformKind> kind_words[] = {
    {TransformKind::dft, "dft"},   {TransformKind::real_dft, "rdft"},
    {TransformKind::wht, "wht"},   {TransformKind::dct2, "dct2"},
    {TransformKind::dct3, "dct3"}, {TransformKind::dct4, "dct4"},
    {TransformKind::dst2, "dst2"}, {TransformKind::dst3, "dst3"},
    {TransformKind::dst4, "dst4"}, {TransformKind::convolution, "convolution"},
};
inline constexpr Word<Direction> direction_words[] = {
    {Direction::forward, "forward"},
    {Direction::backward, "backward"},
};
inline constexpr Word<ComplexLayout> layout_words[] = {
    {ComplexLayout::interleaved, "interleaved"},
    {ComplexLayout::planar, "planar"},
};
inline constexpr Word<Sharing> sharing_words[] = {
    {Sharing::shared, "shared"},
    {Sharing::each, "each"},
};
inline constexpr Word<Placement> placement_words[] = {
    {Placement::out_of_place, "outofplace"},
    {Placement::in_place, "inplace"},
};

} // namespace swirl
