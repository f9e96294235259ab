#pragma once

#include "bench/gpu_transforms/arrays.hpp"

#include <complex>
#include <span>
#include <vector>

/// Expected results: the transform's definition in long double, at sampled outputs.
namespace swirl::bench {

/// One output: the transform's index, and its own index along each dimension.
struct OutputIndex {
    std::vector<Integer> transform; ///< along each batch loop
    std::vector<Integer> index;
};

/// Outputs of the first, the middle and the last transform: all if that is cheap, else evenly spread. `operations`:
/// approximate total number of multiplications that their definition may take.
std::vector<OutputIndex> outputs_to_compare(const Transform& problem, double operations);

/// Offset of an output from index 0.
Integer offset_of(const Transform& problem, const OutputIndex& output);

/// Redundant inputs at the ends of a half spectrum, whose imaginary components must be 0, in the transforms that are
/// compared (in reals from the beginning of the array). Empty for other problems.
std::vector<Integer> zero_imaginary_indices(const Transform& problem, std::span<const OutputIndex> outputs);

/// These outputs of a dft or rdft of `input`. A backward rdft must have one dimension.
std::vector<std::complex<long double>> by_definition(const Transform& problem, const RandomNumbers& input,
                                                     std::span<const OutputIndex> outputs);

} // namespace swirl::bench
