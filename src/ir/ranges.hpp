#pragma once

#include "ir/program.hpp"

#include <optional>
#include <span>
#include <vector>

namespace swirl::ir {

/// low … high, both attained.
struct Range {
    Integer low = 0;
    Integer high = 0;
    bool operator==(const Range&) const = default;
};

/// Known ranges of the variables at a point in a program, updated while walking into loops.
///
/// Every variable is an affine form in *counters*: the iteration number of a loop, a thread or block index, or a
/// parameter. Counters run independently from 0, so the range of a form is exact if all its counters have known
/// extents. (Overlapping digits of one index are not independent; a form of both may attain less.) A counter has the
/// name of its loop variable.
class VariableRanges {
public:
    explicit VariableRanges(const Program& program);

    void enter(const For& loop);
    void leave(const For& loop);

    bool is_in_scope(Variable variable) const { return known(variable) && in_scope_[at(variable)] != 0; }

    /// The form in counters; all its variables must be in scope. Counters that are always 0 are dropped.
    Affine in_counters(const Affine& form) const;

    /// Iterations of a loop whose bounds are in scope, if constant.
    std::optional<Integer> trip_count(const For& loop) const;

    /// The range, exact for independent counters; nothing if a counter's extent is unknown or not positive.
    std::optional<Range> range(const Affine& form) const;

    /// The exact range of form + scale · table[index], where common counters have the same value in both. Nothing if a
    /// counter's extent is unknown, the index leaves the table, or it has too many values to enumerate.
    std::optional<Range> range_with_entry(const Affine& form, Integer scale, std::span<const Integer> table,
                                          const Affine& index) const;

    /// Whether threads of a block may see different values.
    bool differs_between_threads(const Affine& form) const;
    /// Whether threads of a cooperative group of blocks may see different values.
    bool differs_in_cooperative_group(const Affine& form) const;

private:
    static std::size_t at(Variable variable) { return static_cast<std::size_t>(variable); }
    bool known(Variable variable) const { return variable >= 0 && at(variable) < in_scope_.size(); }

    const Program& program_;
    std::vector<char> in_scope_;
    std::vector<Affine> values_;                  ///< in counters
    std::vector<std::optional<Integer>> extents_; ///< of the counters
};

/// Iterations of `for (i = begin; i < end; i += step)` for a constant distance end − begin.
constexpr Integer iterations(Integer distance, Integer step) {
    return distance <= 0 ? 0 : ceil_divide(distance, step);
}

} // namespace swirl::ir
