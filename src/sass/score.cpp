#include "sass/score.hpp"

#include "sass/issue.hpp"

#include <algorithm>
#include <span>

namespace swirl::sass {

namespace {

/// float64 multiply-adds occupy a scheduler's units for two cycles.
constexpr int double_cycles = 2;

int count_of(const LoopScore& score, Kind kind) { return score.counts[static_cast<std::size_t>(kind)]; }

bool is_multiply_add(Kind kind) { return kind == Kind::multiply_add || kind == Kind::double_multiply_add; }

} // namespace

bool is_read(int capability_major) {
    constexpr int first_capability = 7, last_capability = 9;
    return capability_major >= first_capability && capability_major <= last_capability;
}

long long LoopScore::spills() const {
    return count_of(*this, Kind::local_load) + count_of(*this, Kind::local_store);
}

double LoopScore::fma_fraction() const {
    return static_cast<double>(multiply_adds) / static_cast<double>(instructions);
}

double LoopScore::peak_fraction() const {
    const double cycles = static_cast<double>(count_of(*this, Kind::multiply_add)) +
                          double_cycles * static_cast<double>(count_of(*this, Kind::double_multiply_add));
    return cycles / static_cast<double>(issue_cycles);
}

LoopScore score_of_loop(const Code& code, const LoopSpan& span) {
    LoopScore result;
    result.span = span;
    const std::span body = std::span(code).subspan(span.first, span.size());
    const Instruction* before = nullptr; // the previous multiply-add
    for (const Instruction& instruction : body) {
        const Kind kind = kind_of(instruction);
        const Control& control = instruction.control;
        ++result.counts.at(static_cast<std::size_t>(kind));
        ++result.instructions;
        result.single_warp_cycles += std::max(1, control.stall);
        if (control.wait != 0) ++result.waits;
        if (!is_multiply_add(kind)) continue;
        ++result.multiply_adds;
        if (!control.no_yield) ++result.yields;
        if (before != nullptr) {
            result.missed_reuses += before->a == instruction.a && (before->control.reuse & 1U) == 0;
            result.missed_reuses += before->b == instruction.b && (before->control.reuse & 2U) == 0;
        }
        before = &instruction;
    }
    const IssueModel issue = issue_of_loop(body);
    result.issue_cycles = issue.cycles();
    result.bank_cycles = issue.bank_cycles();
    result.register_reads = issue.reads();
    result.reuse_hits = issue.hits();
    return result;
}

KernelScore score(const Cubin& cubin, const Cubin::Kernel& kernel) {
    KernelScore result;
    result.name = kernel.name;
    result.registers = kernel.registers;
    result.static_shared = kernel.static_shared;
    const Code code = cubin.code(kernel);
    result.instructions = static_cast<long long>(code.size());
    result.spills = std::ranges::count_if(code, [](const Instruction& instruction) {
        const Kind kind = kind_of(instruction);
        return kind == Kind::local_load || kind == Kind::local_store;
    });
    if (const auto span = main_loop(code)) {
        result.loop = score_of_loop(code, *span);
        result.unknown = count_of(*result.loop, Kind::other);
    }
    return result;
}

} // namespace swirl::sass
