#pragma once

#include "rules/rule.hpp"

/// Straight-line codelets: which algorithm takes the fewest real operations.
namespace swirl::rules {

/// Real operations, negations not counted.
struct OperationCount {
    Integer additions = 0;
    Integer multiplications = 0;

    Integer total() const { return additions + multiplications; }
    OperationCount& operator+=(const OperationCount& other) {
        additions += other.additions;
        multiplications += other.multiplications;
        return *this;
    }
    friend OperationCount operator+(OperationCount a, const OperationCount& b) { return a += b; }
    friend OperationCount operator*(Integer factor, const OperationCount& a) {
        return {factor * a.additions, factor * a.multiplications};
    }
    bool operator==(const OperationCount&) const = default;
};

/// The breakdown tree whose straight-line program has the fewest real operations known here, for any transform;
/// meant for sizes up to about 128. Computed once a transform; safe to call from several threads.
BreakdownTree cheapest_straight_line(const Formula& nonterminal);

/// Real operations of that program for a DFT, or for a real DFT taken forward, by a closed form: equal to those of the
/// formula up to a few per cent that the sharing of equal subexpressions saves besides.
OperationCount straight_line_operations(const Formula& nonterminal);

} // namespace swirl::rules
