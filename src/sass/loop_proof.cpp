#include "sass/loop_proof.hpp"

#include "base/error.hpp"
#include "sass/issue.hpp"
#include "sass/liveness.hpp"
#include "sass/loop_scoreboards.hpp"
#include "sass/loop_writer.hpp"
#include "sass/symbolic.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <span>

namespace swirl::sass {

namespace {

using Mismatch = std::optional<std::string>;

std::span<const Instruction> body_of(const Code& code, const LoopSpan& span) {
    return std::span(code).subspan(span.first, span.size());
}

/// The body up to its backward branch; only NOPs follow.
std::span<const Instruction> iteration(const Code& code, const LoopSpan& span) {
    const auto body = body_of(code, span);
    const auto branch =
        std::ranges::find_if(body, [](const Instruction& i) { return kind_of(i) == Kind::branch; });
    return body.first(static_cast<std::size_t>(branch - body.begin()) + (branch == body.end() ? 0 : 1));
}

Mismatch shape_mismatch(const Code& compiled, const Code& written, const LoopSpan& span) {
    if (compiled.size() != written.size()) return "the kernel changed length";
    for (std::size_t body_index = 0; body_index < compiled.size(); ++body_index) {
        Instruction expected = compiled[body_index];
        if (body_index == span.last + 1) expected.control.wait |= loop_scoreboards;
        if (!span.has(body_index) && expected != written[body_index])
            return fmt::format("instruction {} outside the loop changed", body_index);
    }
    const auto body = body_of(written, span), loop = iteration(written, span);
    for (std::size_t body_index = 0; body_index < body.size(); ++body_index) {
        const Kind kind = kind_of(body[body_index]);
        if (!has_known_registers(body[body_index])) return "an instruction has unknown registers";
        if (body_index >= loop.size() && kind != Kind::nothing) return "an instruction follows the branch";
    }
    const auto size = static_cast<std::int64_t>(loop.size());
    if (loop.empty() || distance_of(loop.back()) != -size)
        return "the branch does not target the loop's start";
    return std::nullopt;
}

/// The rewritten loop has the compiled loop's instructions with other registers, scoreboards and waits, all of a form
/// that a compiler may emit: nothing that hardware would reject.
Mismatch instruction_mismatch(const Code& compiled, const Code& written, const LoopSpan& span) {
    const auto less = [](const Word& a, const Word& b) {
        return a.low != b.low ? a.low < b.low : a.high < b.high;
    };
    std::set<Word, decltype(less)> forms(less);
    unsigned reused = 0; // operands of multiply-adds
    for (const Instruction& instruction : body_of(compiled, span)) {
        forms.insert(form_of(instruction));
        if (kind_of(instruction) == Kind::multiply_add) reused |= instruction.control.reuse;
    }
    const int registers = named_registers(compiled);
    if (named_registers(written) > registers)
        return fmt::format("the loop uses registers beyond R{}", registers - 1);
    for (const Instruction& instruction : iteration(written, span)) {
        if (kind_of(instruction) == Kind::nothing) continue;
        if (!forms.contains(form_of(instruction)))
            return fmt::format("{} has a form that the compiled loop lacks", name_of(instruction));
        if (!has_aligned_registers(instruction))
            return fmt::format("{} has misaligned register pairs or quadruples", name_of(instruction));
        const unsigned flags = kind_of(instruction) == Kind::multiply_add ? reused : 0;
        if ((instruction.control.reuse & ~flags) != 0)
            return fmt::format("{} has a reuse flag that compiled FMAs lack", name_of(instruction));
    }
    return std::nullopt;
}

std::vector<int> all_registers() {
    std::vector<int> result(zero_register);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

/// Registers whose values at the loop's entry matter: to loads and effects, predicates, uniform registers and
/// `matters`; and those that matter to these an iteration later.
std::set<int> registers_that_matter(const Terms& terms, SymbolicRun& run, const RegisterSet& matters) {
    std::vector<int> roots = run.effects();
    roots.insert(roots.end(), run.loads().begin(), run.loads().end());
    for (int k = 0; k < true_predicate; ++k) {
        roots.push_back(run.predicate(k));
        roots.push_back(run.uniform_predicate(k));
    }
    for (int k = 0; k < uniform_zero_register; ++k) roots.push_back(run.uniform_register(k));
    for (const int k : all_registers())
        if (matters.test(static_cast<std::size_t>(k))) roots.push_back(run.value_of(k));
    std::set<int> known;
    for (std::set<int> found = terms.entries_of(roots); found != known; found = terms.entries_of(roots)) {
        for (const int k : found) roots.push_back(run.value_of(k));
        known = std::move(found);
    }
    return known;
}

Mismatch term_mismatch(const Code& compiled, const Code& written, const LoopSpan& span) {
    Terms terms;
    SymbolicRun before(terms), after(terms);
    for (const Instruction& instruction : iteration(compiled, span)) before.execute(instruction);
    for (const Instruction& instruction : iteration(written, span)) after.execute(instruction);
    const std::vector<RegisterSet> live = live_registers(compiled);
    const RegisterSet matters = live[span.first] | live[span.last + 1];
    const std::set<int> entries[] = {registers_that_matter(terms, before, matters),
                                     registers_that_matter(terms, after, matters)};
    for (const int reg : all_registers()) {
        const bool is_read = entries[0].contains(reg) || entries[1].contains(reg);
        if ((matters.test(static_cast<std::size_t>(reg)) || is_read) &&
            before.value_of(reg) != after.value_of(reg))
            return fmt::format("R{} differs after an iteration", reg);
    }
    if (!std::ranges::includes(before.loads(), after.loads()))
        return "the loop loads from other shared addresses than the compiled one";
    for (int reg = 0; reg < true_predicate; ++reg)
        if (before.predicate(reg) != after.predicate(reg))
            return fmt::format("P{} differs after an iteration", reg);
    for (int reg = 0; reg < uniform_zero_register; ++reg)
        if (before.uniform_register(reg) != after.uniform_register(reg))
            return fmt::format("UR{} differs after an iteration", reg);
    for (int reg = 0; reg < true_predicate; ++reg)
        if (before.uniform_predicate(reg) != after.uniform_predicate(reg))
            return fmt::format("UP{} differs after an iteration", reg);
    if (before.effects() != after.effects()) return "copies, waits, barriers or the branch differ";
    return std::nullopt;
}

bool has_fixed_latency(Kind kind) {
    return kind == Kind::integer || kind == Kind::move || kind == Kind::predicate ||
           kind == Kind::multiply_add || kind == Kind::uniform;
}

int latency_of(Kind kind) {
    if (kind == Kind::multiply_add) return fma_distance;
    return kind == Kind::uniform ? uniform_distance : max_fixed_latency;
}

/// Checks the issue control of two consecutive iterations, including the code before and after the loop.
class ControlCheck {
public:
    Mismatch check(const Code& code, const LoopSpan& span) {
        const std::span loop = iteration(code, span);
        if ((loop.front().control.wait & loop_scoreboards) != loop_scoreboards)
            return "the loop does not wait for the code before it";
        if ((code[span.last + 1].control.wait & loop_scoreboards) != loop_scoreboards)
            return "the code after the loop does not wait for it";
        // Code before the loop has its own stall counts; only its distance from the loop matters.
        for (std::size_t body_index = span.first - std::min<std::size_t>(span.first, 32);
             body_index < span.first; ++body_index)
            advance(code[body_index]);
        for (const Instruction& instruction : loop) {
            uniform_written_.registers |= uniform_written(instruction).registers;
            uniform_written_.predicates |= uniform_written(instruction).predicates;
        }
        for (int iterations = 0; iterations < 2; ++iterations)
            for (const Instruction& instruction : loop) {
                if (auto mismatch = check(instruction)) return mismatch;
                advance(instruction);
            }
        for (std::size_t body_index = span.first + loop.size(); body_index <= span.last + 1; ++body_index) {
            if (auto mismatch = check_distances(code[body_index])) return mismatch;
            advance(code[body_index]);
        }
        return std::nullopt;
    }

private:
    Mismatch check(const Instruction& instruction) {
        if ((outstanding_.needed_by(instruction) & ~instruction.control.wait) != 0)
            return fmt::format("{} does not wait for its operands", name_of(instruction));
        const Kind kind = kind_of(instruction);
        if (instruction.control.stall < 1)
            return fmt::format("{} has a stall count of 0", name_of(instruction));
        const bool is_load = kind == Kind::shared_load || is_constant_load(instruction);
        if (is_load && instruction.control.write_scoreboard == no_scoreboard)
            return "a load sets no write scoreboard";
        if (kind == Kind::copy && instruction.control.read_scoreboard == no_scoreboard)
            return "a copy sets no read scoreboard";
        if (kind == Kind::copy ||
            kind == Kind::shared_load) // their uniform operands are read at an unknown time
            if (const UniformSet read = uniform_read(instruction); read.overlaps(uniform_written_))
                return fmt::format("{} reads a uniform register that the loop writes", name_of(instruction));
        if (auto mismatch = check_reuse(instruction)) return mismatch;
        return check_distances(instruction);
    }

    Mismatch check_distances(const Instruction& instruction) const {
        const auto is_soon = [&](int reg) { return now_ < ready_.at(static_cast<std::size_t>(reg)); };
        for (const auto& ranges : {registers_read(instruction), registers_written(instruction)})
            for (const RegisterRange& range : ranges)
                for (int k = range.first; k < range.first + range.count; ++k)
                    if (is_soon(k))
                        return fmt::format("{} is issued before R{} is ready", name_of(instruction), k);
        for (int k = 0; k < true_predicate; ++k)
            if ((predicates_read(instruction) >> k & 1U) != 0 &&
                now_ < predicate_ready_.at(static_cast<std::size_t>(k)))
                return fmt::format("{} is issued before P{} is ready", name_of(instruction), k);
        return check_uniform(instruction);
    }

    Mismatch check_uniform(const Instruction& instruction) const {
        for (const UniformSet& set : {uniform_read(instruction), uniform_written(instruction)}) {
            for (int k = 0; k < uniform_zero_register; ++k)
                if ((set.registers >> k & 1U) != 0 && now_ < uniform_ready_.at(static_cast<std::size_t>(k)))
                    return fmt::format("{} is issued before UR{} is ready", name_of(instruction), k);
            for (int k = 0; k < true_predicate; ++k)
                if ((set.predicates >> k & 1U) != 0 &&
                    now_ < uniform_predicate_ready_.at(static_cast<std::size_t>(k)))
                    return fmt::format("{} is issued before UP{} is ready", name_of(instruction), k);
        }
        return std::nullopt;
    }

    /// No register in the reuse cache may have been overwritten.
    Mismatch check_reuse(const Instruction& instruction) {
        for (const RegisterRange& range : registers_read(instruction)) {
            if (range.slot >= slot_d) continue;
            LiveOut& live_out = live_out_.at(static_cast<std::size_t>(range.slot))
                                    .at(static_cast<std::size_t>(range.first % 2));
            if (live_out.reg == range.first && live_out.is_stale)
                return fmt::format("{} reads a stale R{} from the reuse cache", name_of(instruction),
                                   range.first);
            const bool keeps = (instruction.control.reuse >> range.slot & 1U) != 0;
            live_out = {keeps ? range.first : -1, false};
        }
        return std::nullopt;
    }

    void advance(const Instruction& instruction) {
        outstanding_.issue(instruction);
        const Kind kind = kind_of(instruction);
        if (has_fixed_latency(kind)) set_ready(instruction, now_ + latency_of(kind));
        for (const RegisterRange& range : registers_written(instruction))
            for (auto& banks : live_out_)
                for (LiveOut& live_out : banks)
                    live_out.is_stale = live_out.is_stale || range.has(live_out.reg);
        now_ += std::max(1, instruction.control.stall);
    }

    void set_ready(const Instruction& instruction, long long when) {
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = range.first; k < range.first + range.count; ++k)
                ready_.at(static_cast<std::size_t>(k)) = when;
        const UniformSet uniform = uniform_written(instruction);
        for (int k = 0; k < uniform_zero_register; ++k)
            if ((uniform.registers >> k & 1U) != 0) uniform_ready_.at(static_cast<std::size_t>(k)) = when;
        for (int k = 0; k < true_predicate; ++k) {
            const auto body_index = static_cast<std::size_t>(k);
            if ((predicates_written(instruction) >> k & 1U) != 0) predicate_ready_.at(body_index) = when;
            if ((uniform.predicates >> k & 1U) != 0) uniform_predicate_ready_.at(body_index) = when;
        }
    }

    struct LiveOut {
        int reg = -1;
        bool is_stale = false;
    };
    PendingAccesses outstanding_;
    UniformSet uniform_written_; ///< in the loop
    long long now_ = 0;
    std::array<long long, zero_register> ready_{};
    std::array<long long, true_predicate> predicate_ready_{}, uniform_predicate_ready_{};
    std::array<long long, uniform_zero_register> uniform_ready_{};
    std::array<std::array<LiveOut, 2>, 3> live_out_;
};

} // namespace

std::optional<std::string> loop_mismatch(const Code& compiled, const Code& written, const LoopSpan& span) {
    if (auto mismatch = shape_mismatch(compiled, written, span)) return mismatch;
    if (auto mismatch = instruction_mismatch(compiled, written, span)) return mismatch;
    if (auto mismatch = term_mismatch(compiled, written, span)) return mismatch;
    if (auto mismatch = ControlCheck().check(written, span)) return mismatch;
    const long long before = issue_of_loop(iteration(compiled, span)).cycles();
    const long long after = issue_of_loop(iteration(written, span)).cycles();
    if (after > before) return fmt::format("the loop takes {} cycles instead of {}", after, before);
    return std::nullopt;
}

} // namespace swirl::sass
