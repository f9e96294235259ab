#pragma once

#include "formula/formula.hpp"
#include "plan/check/definition.hpp"

#include <vector>

/// Functionals of a formula's outputs, as functionals of its inputs.
namespace swirl::planning {

/// The formula's dense meaning, applied factor by factor in long double; by the transposed factors to a functional.
class FormulaFunctionals {
public:
    explicit FormulaFunctionals(const formula::Formula& formula);

    struct Functional {
        Row row; ///< weights of the inputs
        double
            gain; ///< ratio of its rounding error to that of one entry between 0 and 1: intermediate values count
    };
    /// Σ_k weights[k]·output k = Σ_j row[j]·input j.
    Functional of(const std::vector<formula::Complex>& weights) const;

    /// Approximate bound on the ratio of outputs and intermediate values to inputs.
    double largest() const;

private:
    std::vector<formula::Formula> factors_; ///< in order of execution
    std::vector<double> largest_; ///< before each factor, then of the output, for random inputs up to 1
};

} // namespace swirl::planning
