#pragma once

#include "rules/rule.hpp"

/// Straight-line codelets: finds the algorithm with the fewest real operations.
namespace swirl::rules {

/// Real operations; negations are not counted.
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

/// The breakdown tree whose straight-line program has the fewest known real operations, for any transform; meant for
/// sizes up to about 128. Cached per transform; thread-safe.
BreakdownTree cheapest_straight_line(const Formula& nonterminal);

/// Real operations of that program for a DFT, or for a forward real DFT, in closed form. Equals the count of the
/// formula up to a few per cent that common-subexpression elimination saves in addition.
OperationCount straight_line_operations(const Formula& nonterminal);

} // namespace swirl::rules
