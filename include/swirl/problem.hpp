/// What to compute, on data laid out how.
#pragma once

#include <swirl/export.h>
#include <swirl/expression.hpp>
#include <swirl/kinds.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

/// A problem has at most so many dimensions, and so many loops around them: more than 62 longer than 1 would not fit in memory
/// that 64 bits address.
constexpr std::size_t most_dimensions = 64;
constexpr std::size_t most_batch_loops = 64;

/// One axis of the data. A stride is the distance between neighbours in elements of that side: complex elements
/// where the side holds complex data (for planar data, elements of each of its two arrays), real elements where it
/// holds real data. Strides may be negative; the data pointer then is the address of index 0, not the lowest one.
struct Dimension {
    Integer length = 1;
    Integer input_stride = 1;
    Integer output_stride = 1;
    bool operator==(const Dimension&) const = default;
};

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
    Sharing spectrum = Sharing::shared; ///< convolution: whose kernel's spectrum it is
    Expression load = {};
    Expression store = {};
};

/// What to compute, on data laid out how. A plain value; `validate` says whether it can be done, `to_text` and
/// `parse_problem` write and read it.
///
/// Lengths are logical: a real_dft of length n has n real elements on one side and n/2+1 complex ones on the other,
/// along its last dimension. Default strides are row-major and contiguous on each side; an in-place real_dft has
/// each row of reals padded to 2(n/2+1), as FFTW has it.
///
/// A convolution is y = DFT⁻¹(ĥ·DFT(x)), DFT⁻¹ with the factor 1/n, so that y is the circular convolution of x with the h
/// whose transform ĥ is: of the array "spectrum", which is given at each execution, complex in the problem's precision
/// and layout, contiguous and row-major over the dimensions, with `spectrum` = each over the batch too.
struct SWIRL_API Problem {
    TransformKind kind = TransformKind::dft;
    std::vector<Dimension> dimensions; ///< slowest first; the transform runs along each of them
    std::vector<Dimension> batches;    ///< outermost loop first
    Precision precision = Precision::float64;
    ComplexLayout layout = ComplexLayout::interleaved;
    Placement placement = Placement::out_of_place;
    Direction direction = Direction::forward;
    double scale = 1.0; ///< the result is multiplied by it
    Sharing spectrum = Sharing::shared;
    Expression load =
        {}; ///< of each number that is read; of a half spectrum, i counts the numbers that are stored
    Expression store = {}; ///< of each result, scaled already, before it is written

    bool operator==(const Problem&) const = default;

    /// Throws UserError if the number of strides is not that of the lengths, a default stride overflows, or there are more than
    /// most_dimensions or most_batch_loops.
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

/// An array that an execution takes beside input and output, in the problem's layout where it is complex, contiguous.
struct ProblemArray {
    std::string name;
    bool is_complex = true;
    Precision precision = Precision::float64;
    Integer elements = 0;
    bool operator==(const ProblemArray&) const = default;
};

/// In the order in which plans know them; for a valid problem.
SWIRL_API std::vector<ProblemArray> arrays_of(const Problem& problem);

/// Throws UserError, naming the argument, its value and what would work, unless the problem can be computed as
/// stated:
/// - at least one dimension and at most most_dimensions; at most most_batch_loops loops around; lengths and batch counts ≥ 1; powers of two for wht
/// - a finite scale; direction and layout only where the kind has them
/// - sizes and the extreme addresses, in bytes, fit in 64 bits
/// - no two elements of the output share a place (input elements may, out of place)
/// - in place: input and output strides agree, for real_dft in the sense of the padded layout (see Problem)
SWIRL_API void validate(const Problem& problem);

// One line of text for a problem, for people, tests, benchmarks and wisdom:
//
//   kind lengths option…
//
//   kind      dft  rdft  wht  dct2 dct3 dct4  dst2 dst3 dst4  convolution
//   lengths   1024   16x8   2^20
//   options   in any order, each at most once; the first of each line is the default
//     forward  backward
//     float64  float32  float16  bfloat16
//     interleaved  planar
//     outofplace  inplace
//     in=(8,1)  out=(1,16)  strides=(8,1)     for one side or both, one for each dimension; in=2 for a single one
//     batch=10  batch=10:128  batch=10:(128,65)  batch=4:1000x5
//                                             counts, outermost first, each with its stride or (input,output) ones
//     scale=0.5  scale=1/1024
//     spectrum=shared  spectrum=each          of a convolution's kernel: one for all transforms of a batch, or one for each
//     load="x * window[i]"  store="x where i < 700"   what is done to numbers on the way, see Expression
//
// Strides count elements of their side; see Dimension for their unit and Problem for their defaults. In place, a
// stride given for one side fixes the other.

/// Reads a problem; throws SyntaxError. Says nothing about whether it can be computed: that is `validate`.
SWIRL_API Problem parse_problem(std::string_view text);

/// The shortest text that `parse_problem` reads as an equal problem, defaults left out, options in the order above.
SWIRL_API std::string to_text(const Problem& problem);

/// Reads a problem that can be computed: `parse_problem` and `validate`.
inline Problem problem(std::string_view text) {
    Problem result = parse_problem(text);
    validate(result);
    return result;
}

} // namespace swirl
