#pragma once

#include "distributed/decomposition.hpp"

#include <swirl/transform.hpp>

#include <optional>
#include <vector>

namespace swirl::distributed {

/// A transform as factors along the axes of an index space: batch loops, then dimensions. A complex transform of one dimension
/// of n = r·c points is the four-step algorithm on its r×c matrix, row-major: transforms along the columns, twiddle factors,
/// transforms along the rows; its result is the matrix in column-major order.
struct Factors {
    Transform problem;
    std::vector<Integer> input_lengths;
    std::vector<Integer> output_lengths;             ///< differ along the last axis of a real_dft
    std::vector<std::optional<TransformKind>> kinds; ///< of each axis; none: a batch loop
    bool is_four_step = false;                       ///< the last two axes are the matrix's

    std::size_t axes() const { return kinds.size(); }
    /// Whether the transform along this axis takes reals to complex elements, or back.
    bool changes_elements(std::size_t axis) const { return kinds[axis] == TransformKind::real_dft; }
    std::size_t last() const { return axes() - 1; }
    /// Points of the transform along an axis.
    Integer points(std::size_t axis) const {
        return changes_elements(axis) ? problem.dimensions.back().length : input_lengths[axis];
    }
    /// Whether the transform along an axis may come next: that of reals is the first one, that to reals the last one, and
    /// columns come before rows.
    bool may_follow(std::size_t axis, const std::vector<bool>& done) const;
    bool is_complete(const std::vector<bool>& done) const;
    /// The index space once these transforms are done.
    std::vector<Integer> lengths_after(const std::vector<bool>& done) const;
    bool has_complex_elements_after(const std::vector<bool>& done) const;
    /// In memory.
    Integer element_bytes_after(const std::vector<bool>& done) const;
    /// Whether an axis has twiddle factors after its transform.
    bool has_twiddles(std::size_t axis) const { return is_four_step && axis + 2 == axes(); }
};

/// Throws Unsupported for a problem that is not divided among ranks, UserError for one that is not valid. Without `divide`,
/// a transform of one dimension is one axis.
Factors factors_of(const Transform& problem, bool divide = true);

/// The box of a one-dimensional transform's array as pieces of its matrix: the rows of the input, or the columns of the output.
Pieces pieces_of(const Factors& factors, const Box& box, bool is_input);

} // namespace swirl::distributed
