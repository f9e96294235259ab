#pragma once

#include "formula/formula.hpp"

#include <functional>
#include <span>
#include <vector>

/// Matrices of filters: few entries in each row, and rows that repeat.
namespace swirl::formula {

/// A matrix whose rows repeat. Group g of rows has one row for each of `row_offsets`, at offset + g·row_step, as far as there are
/// such rows. From one group to the next, entries move by `column_step` within each segment of the columns, except near the
/// ends of the signal.
struct BandMatrix {
    struct Entry {
        Integer column;
        Complex value;
        bool operator==(const Entry&) const = default;
    };
    Shape shape;
    Integer groups;
    std::vector<Integer> row_offsets;
    Integer row_step;
    std::vector<Integer> segments; ///< first column of each
    Integer column_step;
    std::function<std::vector<Entry>(Integer row)>
        row; ///< entries that may differ from 0, by ascending column
};

/// Groups begin, …, end − 1 repeat each other: of all groups but those near the ends. There is at least one.
struct RepeatedGroups {
    Integer begin, end;
};
RepeatedGroups repeated_groups(const BandMatrix& matrix);

/// One level of a wavelet transform of n samples, with the transform's `inverse` and `transposed`.
BandMatrix wavelet_level(const WaveletTransform& transform, Integer n);
/// The matrix of a filter of n samples.
BandMatrix filter_matrix(const FirFilter& filter, Integer n);

/// The transform or filter of x by definition; x has as many entries as the term has columns.
std::vector<Complex> apply_wavelet(const WaveletTransform& transform, Shape shape,
                                   std::span<const Complex> x);
std::vector<Complex> apply_filter(const FirFilter& filter, Shape shape, std::span<const Complex> x);

/// The samples that a term of this shape takes, or of an inverse, gives.
Integer samples_of(const WaveletTransform& transform, Shape shape);
Integer samples_of(const FirFilter& filter, Shape shape);
/// Of a filter of n samples.
Integer outputs_of(const FirFilter& filter, Integer n);

} // namespace swirl::formula
