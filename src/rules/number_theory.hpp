#pragma once

#include "base/integer.hpp"

#include <utility>
#include <vector>

/// Number theory for the choices of breakdown rules.
namespace swirl::rules {

bool is_prime(Integer n);
bool is_power_of_two(Integer n);

/// Prime factors in ascending order, with multiplicity; empty for 1.
std::vector<Integer> prime_factors(Integer n);
Integer least_prime_factor(Integer n); ///< n above 1
/// The prime powers p^e whose product is n, ascending in p.
std::vector<Integer> prime_powers(Integer n);
Integer largest_prime_factor(Integer n); ///< 1 for n = 1
/// The smallest length ≥ n that is a multiple of 4, so that its passes fill vectors, and a product of 2, 3 and 5.
Integer convolution_length(Integer n);
/// Lengths 2^k times 1, 3, 5, 9 or 15 that are at least `least`, ascending; none exceeds the next power of two.
std::vector<Integer> padded_lengths(Integer least);

/// All divisors in ascending order.
std::vector<Integer> divisors(Integer n);

/// All (m, n/m) with 1 < m < n, ordered by the distance of the two factors, the smaller factor first.
std::vector<std::pair<Integer, Integer>> ordered_splits(Integer n);
/// Those with coprime factors.
std::vector<std::pair<Integer, Integer>> coprime_splits(Integer n);

Integer multiply_modulo(Integer a, Integer b, Integer modulus);
Integer power_modulo(Integer base, Integer exponent, Integer modulus);
/// The x in 0…modulus−1 with a·x ≡ 1; a and modulus coprime.
Integer inverse_modulo(Integer a, Integer modulus);
/// 0, g^0, g^1, …, g^{prime−2} modulo a prime: Rader's index order if g is a generator.
std::vector<Integer> zero_and_powers(Integer g, Integer prime);
/// The least generator of the multiplicative group modulo a prime.
Integer primitive_root(Integer prime);

} // namespace swirl::rules
