#pragma once

#include "formula/index_map.hpp"

#include <optional>
#include <span>
#include <utility>

/// Operations on digit maps; internal to index maps.
namespace swirl::formula {

/// Least and greatest value before reduction, for the given value of the base.
std::pair<Integer, Integer> bounds(const DigitMap& map, Integer base);

/// Whether a map with modulus 0 takes each value 0…domain−1 once.
bool is_permutation_of_interval(const DigitMap& map, Integer domain);
/// Whether a map with a modulus takes each residue once.
bool is_permutation_modulo(const DigitMap& map);

/// The same map without digits of radix 1, with contiguous digits merged and strides reduced, and without the modulus
/// if no value reaches it.
DigitMap merged(const DigitMap& map);
/// The digit map with these values and modulus 0 or `modulus`, if any.
std::optional<DigitMap> recognise_digits(std::span<const Integer> values, Integer modulus);

/// Inverse of a permutation as a digit map; empty if its digits are not digits of the value.
std::optional<DigitMap> inverse_digits(const DigitMap& map, Integer domain);

/// outer ∘ inner by a common refinement of radices, if possible.
std::optional<DigitMap> compose_digits(const DigitMap& outer, Integer outer_domain, const DigitMap& inner);

} // namespace swirl::formula
