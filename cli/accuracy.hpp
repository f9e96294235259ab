#pragma once

#include "cli/reference.hpp"

namespace swirl::cli {

/// Error of a result.
struct Accuracy {
    double relative = 0; ///< ‖result − exact‖ / ‖exact‖, Euclidean norms
    /// The same in units of ε·√log₂n, the error growth of a good algorithm (Schatzman 1996), ε = 2⁻⁵² or 2⁻²³; n is the
    /// number of points of one transform, and 2 if that is 1.
    double units = 0;
};

Accuracy accuracy(const Transform& problem, std::span<const Complex> result, std::span<const Complex> truth);

} // namespace swirl::cli
