#pragma once

#include <swirl/transform.hpp>

#include "base/hash.hpp"
#include "base/integer.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace swirl {

enum class Side : std::uint8_t { input, output };

constexpr Integer stride_of(const Dimension& dimension, Side side) {
    return side == Side::input ? dimension.input_stride : dimension.output_stride;
}

/// Whether the elements of a side are complex, before a load callback and its type in memory, or a store callback: both sides
/// of a dft, a convolution or a formula, one of a real_dft, none of the others.
bool is_complex(TransformKind kind, Direction direction, Side side);
inline bool has_complex_elements(const Transform& problem, Side side) {
    return is_complex(problem.kind, problem.direction, side);
}
/// Whether the store callback makes reals of complex results.
bool stores_reals(const Transform& problem);
/// Whether a side's array holds complex elements.
inline bool is_complex(const Transform& problem, Side side) {
    return has_complex_elements(problem, side) && (side == Side::input || !stores_reals(problem));
}

/// Whether a kernel's spectrum is given at execution.
constexpr bool is_convolution(TransformKind kind) {
    return kind == TransformKind::convolution || kind == TransformKind::real_convolution;
}
inline bool is_convolution(const Transform& problem) { return is_convolution(problem.kind); }

/// Whether a kind takes reals to as many reals, along each dimension by itself.
constexpr bool is_real_to_real(TransformKind kind) {
    return TransformKind::wht <= kind && kind <= TransformKind::hc2r;
}

/// The kind along one dimension; a real_dft is a dft along all but the last.
TransformKind kind_along(const Transform& problem, std::size_t dimension);

/// Walsh–Hadamard transforms, whatever the order of their results.
constexpr bool is_wht(TransformKind kind) {
    return TransformKind::wht <= kind && kind <= TransformKind::wht_sequency;
}

/// In the order of formula::WalshOrder.
inline constexpr std::array wht_kinds = {TransformKind::wht, TransformKind::wht_dyadic,
                                         TransformKind::wht_sequency};
/// Cosine and sine transforms of types 1 to 8.
inline constexpr std::array dct_kinds = {TransformKind::dct1, TransformKind::dct2, TransformKind::dct3,
                                         TransformKind::dct4, TransformKind::dct5, TransformKind::dct6,
                                         TransformKind::dct7, TransformKind::dct8};
inline constexpr std::array dst_kinds = {TransformKind::dst1, TransformKind::dst2, TransformKind::dst3,
                                         TransformKind::dst4, TransformKind::dst5, TransformKind::dst6,
                                         TransformKind::dst7, TransformKind::dst8};

/// Whether the transform's matrix is given by a formula.
constexpr bool has_formula(TransformKind kind) {
    return kind == TransformKind::formula || kind == TransformKind::real_formula;
}
inline bool has_formula(const Transform& problem) { return has_formula(problem.kind); }

/// Bytes per stride unit; for planar complex data, those of one component.
Integer element_bytes(const Transform& problem, Side side);

/// Number of elements stored along a dimension: n, or n/2+1 along the last one of a half spectrum; a formula's columns
/// or rows.
Integer stored_length(const Transform& problem, std::size_t dimension, Side side);

/// A loop over the elements of one side.
struct Axis {
    Integer length;
    Integer stride;
    bool operator==(const Axis&) const = default;
};

/// The loops over all elements of a side: batches first, then dimensions, with stored lengths.
std::vector<Axis> axes(const Transform& problem, Side side);

/// Lowest and highest element offset that a side touches, relative to its data pointer: `lowest` ≤ 0 ≤ `highest`. The
/// problem must be valid.
struct Extent {
    Integer lowest = 0;
    Integer highest = 0;
    bool operator==(const Extent&) const = default;
};
Extent extent(const Transform& problem, Side side);
/// Lowest and highest offset of the elements themselves, where a callback leaves out those of index 0.
Extent touched_extent(const Transform& problem, Side side);

/// Indices first … end−1 of an axis.
struct IndexRange {
    Integer first;
    Integer end;
};
/// For each of `axes`, the indices that the side touches, judged by the conditions on that index alone.
std::vector<IndexRange> touched_ranges(const Transform& problem, Side side);
/// The same by the conditions of `where` alone: elements beyond the ranges are zeros when loading, and are not stored.
std::vector<IndexRange> ranges_where(const Transform& problem, Side side);

inline const Expression& expression_of(const Transform& problem, Side side) {
    return side == Side::input ? problem.load : problem.store;
}

/// Data type in memory of the side's components.
DataType stored_precision(const Transform& problem, Side side);

/// Position in `axes` of an expression's index; empty if the problem has no such axis.
std::optional<std::size_t> axis_of_index(const Transform& problem, std::string_view index);

/// Throws UserError for more dimensions or batch loops than a problem may have.
void check_rank(std::size_t dimensions, std::size_t loops);

/// Number of points of one transform, and number of transforms. The problem must be valid.
Integer transform_size(const Transform& problem);
Integer batch_count(const Transform& problem);

/// Whether transforms of the batch differ in more than their data: in their spectrum, or because an expression uses the
/// index of a batch loop.
bool depends_on_batch(const Transform& problem);

/// Lengths of the spectrum's dimensions in a convolution: of a real one, n/2+1 along the last.
std::vector<Integer> spectrum_lengths(const Transform& problem);
/// Strides of the loops in a convolution's spectrum array: batches, then dimensions; 0 for batches that share it.
std::vector<Integer> spectrum_strides(const Transform& problem);

/// The dimensions that `make` derives from these lengths; empty if a default stride overflows.
std::optional<std::vector<Dimension>> default_dimensions(TransformKind kind,
                                                         const std::vector<Integer>& lengths,
                                                         const TransformOptions& options);

/// The strides of a loop around `inside`: on each side the next offset past |stride|·length of all that lies inside.
/// Empty on overflow.
std::optional<Dimension> default_batch(const Transform& inside, Integer count);

std::size_t hash_value(const Transform& problem);

} // namespace swirl

template <> struct std::hash<swirl::Transform> {
    std::size_t operator()(const swirl::Transform& problem) const { return swirl::hash_value(problem); }
};
