#pragma once

#include "loops/twiddle.hpp"

#include <optional>

namespace swirl::loops {

/// The digits of a twiddle_function, as forms of loop variables: ω_order^{first·second}.
struct Digits {
    Affine first;
    Affine second;
};

/// For a twiddle whose index may involve an index table. Beyond the twiddle's limit the forms may exceed the digits'
/// ranges.
std::optional<Digits> digits_with_table(const Twiddle& twiddle, const Extents& given);
std::optional<Digits> digits_of(const Twiddle& twiddle, const Extents& extents);

/// ω^{x·y} as the twiddle of an entry. `first`: x is the twiddle_function's first digit. `has_limit`: x and y may exceed
/// the digits' ranges, where any value will do. `table` defines its symbol, if x or y contains that.
Twiddle power(const formula::TwiddleFunction& twiddle_function, bool first, const Affine& x, const Affine& y,
              const Extents& extents, bool has_limit, const std::optional<IndexTable>& table = {});

} // namespace swirl::loops
