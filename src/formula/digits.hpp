#pragma once

#include "formula/index_map.hpp"

#include <optional>
#include <span>
#include <utility>

/// What index maps need to know about digit maps; nobody else does.
namespace swirl::formula {

/// Least and greatest value before reduction, with the given value of the base.
std::pair<Integer, Integer> bounds(const DigitMap& map, Integer base);

/// Whether a map with modulus 0 hits each of 0…domain−1 once.
bool is_permutation_of_interval(const DigitMap& map, Integer domain);
/// Whether a map with a modulus hits each residue once.
bool is_permutation_modulo(const DigitMap& map);

/// The same map without digits of radix 1, contiguous digits merged, strides reduced, the modulus dropped where no
/// value reaches it.
DigitMap merged(const DigitMap& map);
/// The digit map with these values, modulus 0 or `modulus`, or nothing.
std::optional<DigitMap> recognise_digits(std::span<const Integer> values, Integer modulus);

/// Inverse of a permutation as a digit map, or nothing where its digits are not digits of the value.
std::optional<DigitMap> inverse_digits(const DigitMap& map, Integer domain);

/// outer ∘ inner by a common refinement of radices, or nothing.
std::optional<DigitMap> compose_digits(const DigitMap& outer, Integer outer_domain, const DigitMap& inner,
                                       const IndexMap::Counts& counts);

} // namespace swirl::formula
