#pragma once

#include "rules/rule.hpp"

#include <vector>

namespace swirl::rules {

/// The unnormalised DFT of data that a rule builds into its formula (Rader's and Bluestein's kernels), in long
/// double with an error of about log₂n units in the last place; O(n log n) for every n.
std::vector<formula::Complex> accurate_dft(std::vector<formula::Complex> x, Direction direction);

/// The DFT of an even sequence x_j = x_{n−j}, given its entries 0 … n/2. Returns entries 0 … n/2 of the transform,
/// which is even too. Takes about half the time and memory.
std::vector<formula::Complex> accurate_even_dft(std::vector<formula::Complex> half, Integer n);

} // namespace swirl::rules
