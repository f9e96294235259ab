#pragma once

#include "formula/formula.hpp"
#include "plan/check/definition.hpp"

#include <vector>

/// Functionals of a formula's outputs, as functionals of its inputs.
namespace swirl::planning {

/// The formula's dense meaning, applied factor by factor in double; by the transposed factors to a functional. Long
/// formulas take seconds, and ask interrupts.
class FormulaFunctionals {
public:
    using Vector = std::vector<Row::Value>;
    explicit FormulaFunctionals(const formula::Formula& formula);

    struct Functional {
        Row row; ///< weights of the inputs
        double
            gain; ///< ratio of its rounding error to that of one entry between 0 and 1: intermediate values count
    };
    /// Σ_k weights[k]·output k = Σ_j row[j]·input j.
    Functional of(Vector weights) const;

    /// Approximate bound on the ratio of outputs and intermediate values to inputs.
    double largest() const;

    /// Bytes that it takes, with two functionals, at most.
    static Integer bytes_for(const formula::Formula& formula);

private:
    std::vector<formula::Formula> factors_; ///< in order of execution
    std::vector<double> largest_; ///< before each factor, then of the output, for random inputs up to 1
};

} // namespace swirl::planning
