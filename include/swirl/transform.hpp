/// Transform problems: what to compute, and the data layout.
#pragma once

#include <swirl/export.h>
#include <swirl/data_type.hpp>
#include <swirl/expression.hpp>
#include <swirl/kinds.hpp>
#include <swirl/matrix_formula.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl {

/// Limits of a problem. More than 62 dimensions or loops longer than 1 would not fit in a 64-bit address space.
constexpr std::size_t most_dimensions = 64;
constexpr std::size_t most_batch_loops = 64;

/// One axis of the data. Strides count elements of their side: complex elements where the side holds complex data (for
/// planar data, elements of each of its two arrays), real elements where it holds real data. Strides may be negative;
/// the data pointer is the address of index 0, not the lowest address.
struct Dimension {
    Integer length = 1;
    Integer input_stride = 1;
    Integer output_stride = 1;
    SWIRL_API friend bool operator==(const Dimension& a, const Dimension& b);
    friend bool operator!=(const Dimension& a, const Dimension& b) { return !(a == b); }
};

/// A loop of transforms around the problem. Default strides follow from the extent of what lies inside the loop.
struct Batch {
    Integer count = 1;
    std::optional<Integer> input_stride = {};
    std::optional<Integer> output_stride = {};
    SWIRL_API friend bool operator==(const Batch& a, const Batch& b);
    friend bool operator!=(const Batch& a, const Batch& b) { return !(a == b); }
};

/// Options of Transform's builders. Empty strides mean contiguous, row-major. In place, strides given for one side only
/// determine those of the other.
struct TransformOptions {
    Direction direction = Direction::forward;
    DataType precision = DataType::float64;
    ComplexLayout layout = ComplexLayout::interleaved;
    Placement placement = Placement::out_of_place;
    std::vector<Integer> input_strides = {};
    std::vector<Integer> output_strides = {};
    std::vector<Batch> batches = {}; ///< outermost loop first
    double scale = 1.0;
    Sharing spectrum = Sharing::shared; ///< convolution: one kernel spectrum, or one per transform
    Expression load = {};
    Expression store = {};
    MatrixFormula matrix = {};             ///< formula and real_formula: see Transform::formula
    std::vector<TransformKind> kinds = {}; ///< mixed: see Transform::mixed
};

/// A transform and its data layout. A plain value; `validate` checks whether it can be computed, `to_text` writes it,
/// `parse_transform` reads it.
///
/// Lengths are logical: a real_dft of length n has n real elements on one side and n/2+1 complex elements on the other,
/// along its last dimension. Default strides are contiguous, row-major on each side; an in-place real_dft pads each row
/// of reals to 2(n/2+1) elements, as FFTW does.
///
/// A convolution is y = DFT⁻¹(ĥ·DFT(x)), where DFT⁻¹ includes the factor 1/n: y is the circular convolution of x with
/// h, and ĥ is the transform of h. The auxiliary array "spectrum" holds ĥ and is given at each execution: complex, in
/// the problem's precision and layout, contiguous, row-major over the dimensions; with `spectrum` = each, over the
/// batch too. A real_convolution is the same of real x and h: ĥ has n/2+1 elements along the last dimension, as a
/// real_dft stores them. <swirl/convolution.hpp> has linear convolutions.
///
/// A formula's matrix may have more rows than columns, or fewer: the length is its number of columns, and the output has
/// as many elements as it has rows.
struct SWIRL_API Transform {
    TransformKind kind = TransformKind::dft;
    std::vector<Dimension> dimensions; ///< slowest first; the transform runs along all of them
    std::vector<Dimension> batches;    ///< outermost loop first
    DataType precision = DataType::float64;
    ComplexLayout layout = ComplexLayout::interleaved;
    Placement placement = Placement::out_of_place;
    Direction direction = Direction::forward;
    double scale = 1.0; ///< multiplies the result
    Sharing spectrum = Sharing::shared;
    Expression load = {}; ///< applied to each element read; for a half spectrum, i counts the stored elements
    Expression store = {};                 ///< applied to each result after scaling, before it is written
    MatrixFormula matrix = {};             ///< of a formula or a real_formula
    std::vector<TransformKind> kinds = {}; ///< of a mixed transform: one for each dimension, not all equal

    SWIRL_API friend bool operator==(const Transform& a, const Transform& b);
    friend bool operator!=(const Transform& a, const Transform& b) { return !(a == b); }

    /// Throws UserError if the number of strides differs from the number of lengths, if a default stride overflows, or
    /// if there are more than most_dimensions dimensions or most_batch_loops batch loops.
    static Transform make(TransformKind kind, const std::vector<Integer>& lengths,
                          const TransformOptions& options = {});

    static Transform dft(const std::vector<Integer>& lengths, const TransformOptions& options = {}) {
        return make(TransformKind::dft, lengths, options);
    }
    static Transform real_dft(const std::vector<Integer>& lengths, const TransformOptions& options = {}) {
        return make(TransformKind::real_dft, lengths, options);
    }
    static Transform wht(const std::vector<Integer>& lengths, const TransformOptions& options = {}) {
        return make(TransformKind::wht, lengths, options);
    }
    /// Real transforms of a kind for each dimension, wht to hc2r. If all are one kind, the result is of that kind.
    static Transform mixed(const std::vector<TransformKind>& kinds, const std::vector<Integer>& lengths,
                           TransformOptions options = {});
    /// The product of complex data with the matrix of a formula, such as "(DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) ·
    /// L(8, 2)", see MatrixFormula. Throws SyntaxError.
    static Transform formula(std::string_view text, const TransformOptions& options = {}) {
        return of_matrix(TransformKind::formula, MatrixFormula(text), options);
    }
    /// The same of real data, such as "DCT2(8) ⊗ DCT2(8)"; `validate` rejects a formula with complex entries.
    static Transform real_formula(std::string_view text, const TransformOptions& options = {}) {
        return of_matrix(TransformKind::real_formula, MatrixFormula(text), options);
    }
    static Transform of_matrix(TransformKind kind, MatrixFormula matrix, TransformOptions options) {
        const Integer columns = matrix.columns();
        options.matrix = std::move(matrix);
        return make(kind, {columns}, options);
    }
};

/// An auxiliary array: an array that an execution takes besides input and output. Contiguous; in the problem's layout
/// if complex.
struct AuxiliaryArray {
    std::string name;
    bool is_complex = true;
    DataType precision = DataType::float64;
    Integer elements = 0;
    SWIRL_API friend bool operator==(const AuxiliaryArray& a, const AuxiliaryArray& b);
    friend bool operator!=(const AuxiliaryArray& a, const AuxiliaryArray& b) { return !(a == b); }
};

/// In the order that plans use; the problem must be valid.
SWIRL_API std::vector<AuxiliaryArray> arrays_of(const Transform& problem);

/// Throws UserError, naming the argument, its value and what would work, unless the problem can be computed as
/// stated:
/// - 1 to most_dimensions dimensions; at most most_batch_loops batch loops; lengths and batch counts ≥ 1; powers of two
///   for wht, at least 2 for dct1
/// - a real kind for each dimension of a mixed transform, and not all one kind
/// - a finite scale; direction and layout only where the kind has them
/// - a formula where, and only where, the kind has one; a real_formula without complex entries
/// - sizes and extreme addresses, in bytes, fit in 64 bits
/// - no two output elements share an address (input elements may, out of place)
/// - in place: input and output strides agree, for real_dft in the sense of the padded layout (see Transform)
SWIRL_API void validate(const Transform& problem);

// Text form of a problem, one line, for people, tests, benchmarks and wisdom:
//
//   kind lengths option…          formula matrix option…
//
//   kind      dft  rdft  convolution  and, from reals to as many reals,
//             wht wht_dyadic wht_sequency  dct1 … dct8  dst1 … dst8  dht  r2hc hc2r
//             one for all dimensions, or one for each: dct2,dst3,dht
//   lengths   1024   16x8   2^20
//   matrix    (DFT(2) ⊗ I(4)) · T(8, 4) · (I(2) ⊗ DFT(4)) · L(8, 2)     see MatrixFormula; of complex data unless
//             (DFT(2) (x) I(4)) * T(8, 4) * (I(2) (x) DFT(4)) * L(8, 2) the data type is real: formula WHT(8) float64
//   options   in any order, each at most once; the first of each line is the default
//     forward  backward
//     float64  float32  float16  bfloat16     of a formula: complex128  complex64  float64  float32  float16  bfloat16
//     interleaved  planar
//     outofplace  inplace
//     in=(8,1)  out=(1,16)  strides=(8,1)     one per dimension, for one side or both; in=2 for one dimension
//     batch=10  batch=10:128  batch=10:(128,65)  batch=4:1000x5
//                                             counts, outermost first, each with its stride or (input,output) strides
//     scale=0.5  scale=1/1024
//     norm=ortho  norm=backward  norm=forward instead of scale, as in NumPy: 1/√n both ways, 1/n of backward transforms
//                                             or of forward ones, where n is the product of the lengths
//     spectrum=shared  spectrum=each          a convolution's kernel: one per batch, or one per transform
//     load="x * window[i]"  store="x where i < 700"   load and store callbacks, see Expression
//
// Strides count elements of their side; see Dimension for the unit and Transform for the defaults. In place, strides
// given for one side determine the other.
//
// Names of other libraries mean the same:
//   fft c2c       dft             rfft r2c   rdft              c2r    rdft backward
//   ifft          dft backward norm=backward                   irfft  rdft backward norm=backward
//   inverse       backward        split      planar            hartley   dht
//   redft00 redft10 redft01 redft11   dct1 dct2 dct3 dct4      rodft00 rodft10 rodft01 rodft11   dst1 dst2 dst3 dst4
//   single double half            float32 float64 float16      complex64 complex128   float32 float64, of a dft or rdft

/// Parses a problem; throws SyntaxError. Does not check whether the problem can be computed: `validate` does.
SWIRL_API Transform parse_transform(std::string_view text);

/// The shortest text that `parse_transform` reads as an equal problem: without defaults, options in the order above.
SWIRL_API std::string to_text(const Transform& problem);

/// Parses and validates a problem.
inline Transform problem(std::string_view text) {
    Transform result = parse_transform(text);
    validate(result);
    return result;
}

} // namespace swirl
