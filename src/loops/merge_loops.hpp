#pragma once

#include "loops/endpoint.hpp"

#include <optional>
#include <string>
#include <vector>

/// Products of factors: the computing factors, with data movement and diagonals folded into their inputs and outputs.
namespace swirl::loops {

/// A computing factor of a product, with the maps and diagonals folded into its two ends.
struct MergedFactor {
    formula::Formula factor;
    std::vector<AccessMap> before;                   ///< nearest the input first
    std::vector<AccessMap> after;                    ///< nearest the factor first
    std::optional<formula::IndexMap> scattered = {}; ///< applied after `after`; unmapped entries become zero
};

/// In order of execution; at least one. With `separate_diagonals`, diagonal summands become separate diagonals:
/// A ⊕ diag(d) = (I ⊕ diag(d)) · (A ⊕ I).
std::vector<MergedFactor> merge_loops(const formula::Formula& product, bool separate_diagonals = false);

/// Identities by which a factor's neighbours disappear (Franchetti, Voronenko, Püschel 2005, table 2): a permutation P or
/// a diagonal D next to a factor A is folded into the gathers G or the scatters S of A's loops.
struct LoopMerge {
    std::string rule;   ///< "A P → A G(p)"
    std::string factor; ///< A
    std::string folded; ///< P or D
};
/// All merges in the loops of a formula, in order of execution.
std::vector<LoopMerge> loop_merges_of(const formula::Formula& formula);

/// A pass whose factors all act on columns: (A_1 ⊗ I_c) · D · (A_2 ⊗ I_c) ⋯, with diagonals between.
struct Columns {
    Integer count;
    std::vector<MergedFactor> factors;
};
/// The pass in this form, if it has at least two factors of this form.
std::optional<Columns> columns_of(const formula::Formula& pass);
/// Counts of the loops over columns in a pass of such codelets, innermost last; empty for any other pass.
struct ColumnLoops {
    std::vector<Integer> read;    ///< around what reads the pass's input
    std::vector<Integer> written; ///< around what writes its output
};
/// Codelets contain several factors of the pass only if columns are merged. A transform that is broken down further has
/// loops of its own inside: those of its first factor read, those of its last one write. Where these are not loops over
/// columns, all entries of the transform count as one loop.
ColumnLoops column_loops(const formula::Formula& pass, bool merge_columns);

/// The entries of 0…range−1 that no index maps to, in order if they are few; nothing if there are none.
std::optional<formula::IndexMap> complement(const formula::IndexMap& map);
/// The same as several maps, where a single map would be a long table.
std::vector<formula::IndexMap> piecewise_complement(const formula::IndexMap& map);

} // namespace swirl::loops
