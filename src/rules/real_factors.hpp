#pragma once

#include "rules/building_blocks.hpp"

#include <vector>

namespace swirl::rules {

/// A real transform R = Output · Signs · Middle · Sorting · Transforms · Input, with permutations given by sources,
/// (P x)[i] = x[sources[i]]. The rule sets Middle and Transforms of R, or, for the backward transform, those of
/// n·R^{−1}: each inverted in place, with scale factors whose product is n.
struct RealFactors {
    std::vector<Integer> output;
    std::vector<bool> negative; ///< entries of Signs
    Formula middle;
    std::vector<Integer> sorting;
    Formula transforms;
    std::vector<Integer> input;
};

/// The product of the factors; for the backward direction in reverse order with inverted permutations.
Formula assemble(const RealFactors& factors, Direction direction);

/// Builds the output permutation of a real transform from the frequencies of the entries that it permutes.
class HalfcomplexOutput {
public:
    explicit HalfcomplexOutput(Integer n) : n_(n), output_(static_cast<std::size_t>(n)) {}

    /// The next entry is X_k, real: k = 0 or n/2.
    void real(Integer k);
    /// The next two entries are Re and Im of X_k, 0 < k < n; for k > n/2 they stand for the conjugate at n − k.
    void pair(Integer k);
    /// The next entry is Re X_k, or Im X_k times ±1; 0 < k < n/2.
    void real_part(Integer k);
    void imaginary_part(Integer k, bool negated);

    std::vector<Integer> take_output() { return std::move(output_); }
    std::vector<bool> take_negative() { return std::move(negative_); }

private:
    void put(Integer position, bool negated);

    Integer n_;
    std::vector<Integer> output_;
    std::vector<bool> negative_;
};

} // namespace swirl::rules
