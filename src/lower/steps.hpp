#pragma once

#include "lower/endpoint.hpp"

#include <optional>
#include <vector>

/// A product of factors as steps: those that compute, with what only moves or multiplies folded into their ends.
namespace swirl::lower {

/// A factor of a product that computes, with the maps and diagonals folded into its two ends.
struct Step {
    formula::Formula factor;
    std::vector<Stage> before;                       ///< nearest the input first
    std::vector<Stage> after;                        ///< nearest the factor first
    std::optional<formula::IndexMap> scattered = {}; ///< beyond `after`; entries it leaves out become zero
};

/// In order of execution; at least one. With `apart`, diagonal summands among others are diagonals of their own:
/// A ⊕ diag(d) = (I ⊕ diag(d)) · (A ⊕ I).
std::vector<Step> steps_of(const formula::Formula& product, bool apart = false);

/// A pass whose factors all act on columns: (A_1 ⊗ I_c) · D · (A_2 ⊗ I_c) ⋯, diagonals between.
struct Columns {
    Integer count;
    std::vector<Step> steps;
};
/// The pass as such, if it is one of at least two steps.
std::optional<Columns> columns_of(const formula::Formula& pass);
/// Counts of the loops over columns that codelets of a pass go down, the innermost last; empty where it is no such pass. Only
/// where columns are merged may a codelet hold several of its steps.
std::vector<Integer> column_loops(const formula::Formula& pass, bool merge_columns);

/// Entries of 0…range−1 that no index maps to, in order where they are few; nothing where there are none.
std::optional<formula::IndexMap> complement(const formula::IndexMap& map);
/// The same by several maps, where a long one would be a table.
std::vector<formula::IndexMap> complement_in_parts(const formula::IndexMap& map);

} // namespace swirl::lower
