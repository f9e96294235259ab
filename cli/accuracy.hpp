#pragma once

#include "cli/reference.hpp"

namespace swirl::cli {

/// How far a result is from the truth.
struct Accuracy {
    double relative = 0; ///< ‖result − truth‖ / ‖truth‖, Euclidean norms
    /// The same in units of ε·√log₂n, the growth of a good algorithm's error (Schatzman 1996), ε = 2⁻⁵² or 2⁻²³; n
    /// counts the points of one transform, and as 2 where it is 1.
    double units = 0;
};

Accuracy accuracy(const Problem& problem, std::span<const Complex> result, std::span<const Complex> truth);

} // namespace swirl::cli
