#pragma once

#include "base/hash.hpp"
#include "base/integer.hpp"
#include "problem/kinds.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace swirl {

/// One axis of the data. A stride is the distance between neighbours in elements of that side: complex elements
/// where the side holds complex data (for planar data, elements of each of its two arrays), real elements where it
/// holds real data. Strides may be negative; the data pointer then is the address of index 0, not the lowest one.
struct Dimension {
    Integer length = 1;
    Integer input_stride = 1;
    Integer output_stride = 1;
    bool operator==(const Dimension&) const = default;
};

enum class Side : std::uint8_t { input, output };

constexpr Integer stride_of(const Dimension& dimension, Side side) {
    return side == Side::input ? dimension.input_stride : dimension.output_stride;
}

/// A loop of transforms around the one described; strides that are not given follow what lies inside the loop.
struct Batch {
    Integer count = 1;
    std::optional<Integer> input_stride = {};
    std::optional<Integer> output_stride = {};
    bool operator==(const Batch&) const = default;
};

/// What Problem's builders take besides the lengths. Empty strides mean row-major and contiguous; in place, strides
/// given for one side only fix those of the other.
struct ProblemOptions {
    Direction direction = Direction::forward;
    Precision precision = Precision::float64;
    ComplexLayout layout = ComplexLayout::interleaved;
    Placement placement = Placement::out_of_place;
    std::vector<Integer> input_strides = {};
    std::vector<Integer> output_strides = {};
    std::vector<Batch> batches = {}; ///< outermost loop first
    double scale = 1.0;
};

/// What to compute, on data laid out how. A plain value; `validate` (problem/validate.hpp) says whether it can be
/// done, `to_text` and `parse_problem` (problem/syntax.hpp) write and read it.
///
/// Lengths are logical: a real_dft of length n has n real elements on one side and n/2+1 complex ones on the other,
/// along its last dimension. Default strides are row-major and contiguous on each side; an in-place real_dft has
/// each row of reals padded to 2(n/2+1), as FFTW has it.
struct Problem {
    TransformKind kind = TransformKind::dft;
    std::vector<Dimension> dimensions; ///< slowest first; the transform runs along each of them
    std::vector<Dimension> batches;    ///< outermost loop first
    Precision precision = Precision::float64;
    ComplexLayout layout = ComplexLayout::interleaved;
    Placement placement = Placement::out_of_place;
    Direction direction = Direction::forward;
    double scale = 1.0; ///< the result is multiplied by it

    bool operator==(const Problem&) const = default;

    /// Throws UserError if the number of strides is not that of the lengths or a default stride overflows.
    static Problem make(TransformKind kind, const std::vector<Integer>& lengths,
                        const ProblemOptions& options = {});

    static Problem dft(const std::vector<Integer>& lengths, const ProblemOptions& options = {}) {
        return make(TransformKind::dft, lengths, options);
    }
    static Problem real_dft(const std::vector<Integer>& lengths, const ProblemOptions& options = {}) {
        return make(TransformKind::real_dft, lengths, options);
    }
    static Problem wht(const std::vector<Integer>& lengths, const ProblemOptions& options = {}) {
        return make(TransformKind::wht, lengths, options);
    }
};

/// Whether a side holds complex elements: both sides of a dft, one of a real_dft, none of the others.
bool is_complex(TransformKind kind, Direction direction, Side side);
inline bool is_complex(const Problem& problem, Side side) {
    return is_complex(problem.kind, problem.direction, side);
}

constexpr Integer real_bytes(Precision precision) {
    return precision == Precision::float64 ? 8 : precision == Precision::float32 ? 4 : 2;
}

/// Bytes between elements that are one stride unit apart: a planar complex element counts one of its two arrays.
Integer element_bytes(const Problem& problem, Side side);

/// Number of elements that a side stores along a dimension: n, or n/2+1 along the last one of a half spectrum.
Integer stored_length(const Problem& problem, std::size_t dimension, Side side);

/// A loop over the elements of one side.
struct Axis {
    Integer length;
    Integer stride;
    bool operator==(const Axis&) const = default;
};

/// The loops over all elements of a side: batches first, then dimensions, with stored lengths.
std::vector<Axis> axes(const Problem& problem, Side side);

/// Lowest and highest element offset that a side touches, relative to its data pointer.
/// For a valid problem: `lowest` ≤ 0 ≤ `highest`.
struct Extent {
    Integer lowest = 0;
    Integer highest = 0;
    bool operator==(const Extent&) const = default;
};
Extent extent(const Problem& problem, Side side);

/// Number of points of one transform, and number of transforms. For a valid problem.
Integer transform_size(const Problem& problem);
Integer batch_count(const Problem& problem);

/// The dimensions that `make` gives to these lengths, or nothing where a default stride overflows.
std::optional<std::vector<Dimension>> default_dimensions(TransformKind kind,
                                                         const std::vector<Integer>& lengths,
                                                         const ProblemOptions& options);

/// The strides of a loop around what `inside` describes already, or nothing on overflow: on each side the next
/// place past |stride|·length of all that lies inside.
std::optional<Dimension> default_batch(const Problem& inside, Integer count);

std::size_t hash_value(const Problem& problem);

} // namespace swirl

template <> struct std::hash<swirl::Problem> {
    std::size_t operator()(const swirl::Problem& problem) const { return swirl::hash_value(problem); }
};
