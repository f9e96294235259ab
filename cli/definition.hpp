#pragma once

#include <swirl/kinds.hpp>

#include <complex>
#include <vector>

/// Transforms by their definitions: sums in long double, with angles reduced exactly in integers. Shares no code with
/// swirl's own transforms; `verify` and the fuzz tests check their references against it.
namespace swirl::cli {

using Complex = std::complex<long double>;
using Values = std::vector<Complex>;

/// A transform of row-major data with stored lengths: along the last dimension n/2+1 elements represent n points of a
/// half spectrum. Real data has imaginary component 0.
struct TransformDefinition {
    TransformKind kind = TransformKind::dft;
    Direction direction = Direction::forward;
    std::vector<Integer> lengths;
    std::vector<TransformKind> kinds = {}; ///< of a mixed transform

    bool makes_reals() const { return kind == TransformKind::real_dft && direction == Direction::backward; }
    /// A real DFT is real along the last dimension and complex along the others.
    TransformKind kind_along(std::size_t dimension) const;
    Integer points() const;
    /// Stored length of an input, or an output, along a dimension.
    Integer stored_input(std::size_t dimension) const;
    Integer stored_output(std::size_t dimension) const;
};

/// e^{2πi·k/n} for any k ≥ 0.
Complex root_of_unity(Integer k, Integer n);

/// The row of a Walsh–Hadamard matrix in natural order that is row k in the order of its kind: that of the reversed bits of k,
/// or of k's Gray code.
Integer hadamard_row(TransformKind kind, Integer n, Integer k);

/// Row k of the matrix of one dimension: output k = Σ_j row[j]·x[j], or its real component if the result is real.
/// Cosine and sine transforms are those of FFTW's manual, unnormalised.
Values definition_row(const TransformDefinition& transform, std::size_t dimension, Integer k);

/// One output by the definition, with one index per dimension. Costs as many multiplications as there are points.
Complex output_by_definition(const TransformDefinition& transform, const Values& input,
                             const std::vector<Integer>& index);

/// All outputs, one dimension after the other.
Values transform_by_definition(const TransformDefinition& transform, const Values& input);

/// Bound on the rounding error in an output of another algorithm in long double.
long double rounding_of_outputs(const TransformDefinition& transform, const Values& input);

/// Multiplications of transform_by_definition.
double cost_by_definition(const TransformDefinition& transform);

} // namespace swirl::cli
