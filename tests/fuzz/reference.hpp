#pragma once

#include "fuzz/definition.hpp"
#include "fuzz/random.hpp"

namespace swirl::fuzz {

/// Whether there is a reference for transforms of any size: FFTW's long double, where the program was built with it.
bool has_fast_reference();

/// A transform in long double: by the definition where it is small, else by FFTW, or of Walsh–Hadamard transforms by
/// butterflies; two outputs at random are then proved against the definition. Throws a Failure where they differ.
Values reference(const TransformDefinition& transform, const Values& input, Random& random);

/// Euclidean norm.
long double norm_of(const Complex* values, std::size_t count);

/// √(N·Σ|X_k|²) over the whole spectrum X that the input of a backward real DFT of N points stores half of. By Parseval's
/// theorem it is the norm of the outputs if their imaginary components vanish; with stored elements that are no half of
/// a spectrum of reals, the outputs are the real components of such a vector. A change of the input by ε in its norm
/// changes them by up to ε times this, however small they are.
long double norm_of_spectrum(const TransformDefinition& transform, const Values& input);

/// ‖a − b‖ / `norm`, Euclidean; ‖a − b‖ where the norm is zero; infinite where a has a NaN.
long double relative_error(const Complex* a, const Complex* b, std::size_t count, long double norm);

/// The element of a that is furthest off b's, in units of norm/√count; of 1 where the norm is zero.
struct WorstElement {
    std::size_t index;
    long double error; ///< infinite where there is a NaN
};
WorstElement worst_element(const Complex* a, const Complex* b, std::size_t count, long double norm);

} // namespace swirl::fuzz
