#include "sass/issue.hpp"

#include "sass/registers.hpp"

#include <algorithm>

namespace swirl::sass {

namespace {

constexpr int max_lag = 1; ///< reads of a bank that may be outstanding when the next instruction issues
constexpr int wide_load_cycles = 3; ///< for a load from shared memory into two or four registers

bool reads_by_banks(Kind kind) {
    switch (kind) {
    case Kind::multiply_add:
    case Kind::arithmetic:
    case Kind::integer:
    case Kind::move:
    case Kind::predicate: return true;
    default: return false; // operands of memory instructions take another path
    }
}

int cycles_of(const Instruction& instruction, Kind kind) {
    if (kind == Kind::double_multiply_add) return 2; // half as many units as for float32
    if (kind != Kind::shared_load) return 1;
    const std::vector<RegisterRange> written = registers_written(instruction);
    return !written.empty() && written.front().count > 1 ? wide_load_cycles : 1;
}

} // namespace

int IssueModel::issue(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    std::array<int, banks> needed = {};
    if (reads_by_banks(kind)) {
        std::vector<int> fetched; // one register for two operands is read once
        for (const RegisterRange& range : registers_read(instruction)) {
            if (range.slot >= slots) continue;
            const auto bank = static_cast<std::size_t>(range.first % banks);
            int& reuse_cache = reuse_cache_.at(static_cast<std::size_t>(range.slot)).at(bank);
            if (reuse_cache == range.first)
                ++hits_;
            else if (std::ranges::find(fetched, range.first) == fetched.end()) {
                fetched.push_back(range.first);
                ++needed.at(bank);
                ++reads_;
            }
            reuse_cache = (instruction.control.reuse >> range.slot & 1U) != 0 ? range.first : -1;
        }
    }
    int waited = 0;
    for (; std::ranges::max(lag_) > max_lag; ++waited)
        for (int& lag : lag_) lag = std::max(0, lag - 1);
    const int own = cycles_of(instruction, kind);
    for (std::size_t bank = 0; bank < banks; ++bank)
        lag_[bank] = std::max(0, lag_[bank] + needed[bank] - own);
    cycles_ += waited + own;
    bank_cycles_ += waited;
    return waited + own;
}

IssueModel IssueModel::since(const IssueModel& earlier) const {
    IssueModel result = *this;
    result.cycles_ -= earlier.cycles_;
    result.bank_cycles_ -= earlier.bank_cycles_;
    result.reads_ -= earlier.reads_;
    result.hits_ -= earlier.hits_;
    return result;
}

IssueModel issue_of_loop(std::span<const Instruction> body) {
    IssueModel warm;
    for (const Instruction& instruction : body) warm.issue(instruction);
    IssueModel both = warm;
    for (const Instruction& instruction : body) both.issue(instruction);
    return both.since(warm);
}

} // namespace swirl::sass
