#pragma once

#include "bench/gpu_transforms/arrays.hpp"

#include <complex>
#include <span>
#include <vector>

/// What is right: the transform's definition in long double, at some of the outputs.
namespace swirl::bench {

/// One output: which transform's, and its index along each dimension.
struct OutputIndex {
    std::vector<Integer> transform; ///< along each loop of batches
    std::vector<Integer> index;
};

/// Outputs of the first, the middle and the last transform: all where that is little work, else spread evenly.
/// `operations` is about how many products their definition may take, all together.
std::vector<OutputIndex> outputs_to_compare(const Problem& problem, double operations);

/// Where an output lies, as an offset from index 0.
Integer offset_of(const Problem& problem, const OutputIndex& output);

/// Inputs that a half spectrum has twice, at the ends, and whose imaginary parts have to be 0 (in real numbers from the
/// begin of the array) in the transforms that are compared. For other problems none.
std::vector<Integer> parts_that_are_zero(const Problem& problem, std::span<const OutputIndex> outputs);

/// These outputs of a dft or rdft of `input`. The dimensions of an rdft backward: one.
std::vector<std::complex<long double>> by_definition(const Problem& problem, const RandomNumbers& input,
                                                     std::span<const OutputIndex> outputs);

} // namespace swirl::bench
