#pragma once

#include "problem/problem.hpp"

#include <complex>
#include <functional>
#include <span>
#include <vector>

/// Expected results: the transform's definition in long double, at sampled outputs.
namespace swirl::bench {

/// The input's element at this offset from index 0; real elements have imaginary component 0.
using ElementAt = std::function<std::complex<double>(Integer offset)>;

/// One output: the transform's index, and its own index along each dimension.
struct OutputIndex {
    std::vector<Integer> transform; ///< along each batch loop
    std::vector<Integer> index;
};

/// Throws UserError for a problem that the definition here does not cover.
void require_definition(const Transform& problem);

/// Outputs of the first, the middle and the last transform: all if that is cheap, else evenly spread. `operations`:
/// approximate total number of multiplications that their definition may take.
std::vector<OutputIndex> outputs_to_compare(const Transform& problem, double operations);

/// Offset of an output from index 0.
Integer offset_of(const Transform& problem, const OutputIndex& output);

/// Two inputs that have to be each other's conjugates, or one that has to be real.
struct ConjugatePair {
    Integer offset, mirrored;
};

/// Where half spectra represent elements twice: at the ends of the last dimension, with all other indices negated. Empty
/// for problems that do not take half spectra.
std::vector<ConjugatePair> conjugate_inputs(const Transform& problem);

std::vector<std::complex<long double>> by_definition(const Transform& problem, const ElementAt& input,
                                                     std::span<const OutputIndex> outputs);

} // namespace swirl::bench
