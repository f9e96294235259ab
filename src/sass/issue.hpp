#pragma once

#include "sass/code.hpp"

#include <array>
#include <span>

namespace swirl::sass {

/// Models the cycles in which Hopper's scheduler issues straight-line instructions. Operands come from two register
/// banks, even and odd, each of which delivers one register per cycle; reads may lag the issue by one cycle. The
/// reuse cache has one register per operand and bank: that of the last instruction that read there, if flagged for
/// reuse. Loads from shared memory into more than one register take three cycles.
class IssueModel {
public:
    /// Cycles from the previous instruction's issue to this one's: 1 unless it stalls.
    int issue(const Instruction& instruction);

    long long cycles() const { return cycles_; }
    /// Stall cycles for register banks among them.
    long long bank_cycles() const { return bank_cycles_; }
    long long reads() const { return reads_; } ///< register reads from the banks
    long long hits() const { return hits_; }   ///< reuse-cache hits
    /// Difference of the counts from an earlier state.
    IssueModel since(const IssueModel& earlier) const;

private:
    static constexpr int slots = 3, banks = 2;
    /// Register by operand and bank; −1: none.
    std::array<std::array<int, banks>, slots> reuse_cache_ = {{{-1, -1}, {-1, -1}, {-1, -1}}};
    std::array<int, banks> lag_ = {};
    long long cycles_ = 0;
    long long bank_cycles_ = 0;
    long long reads_ = 0;
    long long hits_ = 0;
};

/// One iteration of a loop's body, after one that has filled the reuse cache.
IssueModel issue_of_loop(std::span<const Instruction> body);

} // namespace swirl::sass
