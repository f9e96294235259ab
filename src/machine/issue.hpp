#pragma once

#include "machine/code.hpp"

#include <array>
#include <span>

namespace swirl::machine {

/// Cycles in which Hopper's scheduler can issue a run of instructions, whose operands come from two banks of registers, even and odd.
/// Each bank gives one register a cycle; reads may lag behind the issue by one cycle. The reuse cache has one register for each operand
/// and bank: that of the last instruction which read there, if that one was told to keep it. Loads from shared memory that write more
/// than one register take three cycles.
class IssueModel {
public:
    /// Cycles from the issue of the instruction before to that of this one: 1 where nothing stands in the way.
    int issue(const Instruction& instruction);

    long long cycles() const { return cycles_; }
    /// Of these, how many were spent waiting for banks.
    long long bank_cycles() const { return bank_cycles_; }
    long long reads() const { return reads_; } ///< of registers, from the banks
    long long hits() const { return hits_; }   ///< in the reuse cache
    /// Its counts less those of an earlier state.
    IssueModel since(const IssueModel& earlier) const;

private:
    static constexpr int slots = 3, banks = 2;
    /// By operand and bank; −1: none.
    std::array<std::array<int, banks>, slots> kept_ = {{{-1, -1}, {-1, -1}, {-1, -1}}};
    std::array<int, banks> late_ = {};
    long long cycles_ = 0;
    long long bank_cycles_ = 0;
    long long reads_ = 0;
    long long hits_ = 0;
};

/// A loop's instructions, once, after an iteration that has filled the cache.
IssueModel issue_of_loop(std::span<const Instruction> body);

} // namespace swirl::machine
