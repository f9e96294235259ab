#pragma once

#include "fuzz/definition.hpp"
#include "fuzz/random.hpp"

namespace swirl::fuzz {

/// Whether there is a reference for transforms of any size: FFTW's long double, where the program was built with it.
bool has_fast_reference();

/// A transform in long double: by the definition where it is small, else by FFTW, or of Walsh–Hadamard transforms by
/// butterflies; two outputs at random are then proved against the definition. Throws a Failure where they differ.
Values reference(const TransformDefinition& transform, const Values& input, Random& random);

/// ‖a − b‖ / ‖b‖, Euclidean; ‖a‖ where b is zero; infinite where a has a NaN.
long double relative_error(const Complex* a, const Complex* b, std::size_t count);

/// The element of a that is furthest off b's, in units of the root mean square of b; of 1 where b is zero.
struct WorstElement {
    std::size_t index;
    long double error; ///< infinite where there is a NaN
};
WorstElement worst_element(const Complex* a, const Complex* b, std::size_t count);

} // namespace swirl::fuzz
