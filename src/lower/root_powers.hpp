#pragma once

#include "lower/factors.hpp"

#include <optional>

namespace swirl::lower {

/// The digits of a twiddle, forms of loop variables: ω_order^{first·second}.
struct Digits {
    Affine first;
    Affine second;
};

/// Of a factor whose index a table may be part of.
std::optional<Digits> digits_with_table(const Factor& factor, const Extents& given);
std::optional<Digits> digits_of(const Factor& factor, const Extents& extents);

/// ω^{x·y} as the factor of an entry. `first` says that x is the twiddle's first digit. `table` gives what its symbol stands
/// for, where one of them names that.
Factor power(const formula::TwiddleFunction& twiddle, bool first, const Affine& x, const Affine& y,
             const Extents& extents, const std::optional<IndexTable>& table = {});

} // namespace swirl::lower
