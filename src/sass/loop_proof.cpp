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
    if (compiled.size() != written.size()) return "the kernel has another length";
    for (std::size_t body_index = 0; body_index < compiled.size(); ++body_index) {
        Instruction expected = compiled[body_index];
        if (body_index == span.last + 1) expected.control.wait |= loop_scoreboards;
        if (!span.has(body_index) && expected != written[body_index])
            return fmt::format("instruction {} outside of the loop is another", body_index);
    }
    const auto body = body_of(written, span), turn = iteration(written, span);
    for (std::size_t body_index = 0; body_index < body.size(); ++body_index) {
        const Kind kind = kind_of(body[body_index]);
        if (!has_known_registers(body[body_index])) return "an instruction is not known";
        if (body_index >= turn.size() && kind != Kind::nothing) return "something follows the branch";
    }
    const auto size = static_cast<std::int64_t>(turn.size());
    if (turn.empty() || distance_of(turn.back()) != -size) return "the branch goes elsewhere";
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
        return fmt::format("it names registers beyond R{}", registers - 1);
    for (const Instruction& instruction : iteration(written, span)) {
        if (kind_of(instruction) == Kind::nothing) continue;
        if (!forms.contains(form_of(instruction)))
            return fmt::format("{} is of another form than those compiled", name_of(instruction));
        if (!has_aligned_registers(instruction))
            return fmt::format("{} has registers that are no pair or four", name_of(instruction));
        const unsigned flags = kind_of(instruction) == Kind::multiply_add ? reused : 0;
        if ((instruction.control.reuse & ~flags) != 0)
            return fmt::format("{} keeps operands that compiled ones do not", name_of(instruction));
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
    for (const int number : all_registers()) {
        const bool is_read = entries[0].contains(number) || entries[1].contains(number);
        if ((matters.test(static_cast<std::size_t>(number)) || is_read) &&
            before.value_of(number) != after.value_of(number))
            return fmt::format("R{} has another value after an iteration", number);
    }
    if (!std::ranges::includes(before.loads(), after.loads()))
        return "it loads from shared memory what the compiled one does not";
    for (int number = 0; number < true_predicate; ++number)
        if (before.predicate(number) != after.predicate(number))
            return fmt::format("P{} has another value after an iteration", number);
    for (int number = 0; number < uniform_zero_register; ++number)
        if (before.uniform_register(number) != after.uniform_register(number))
            return fmt::format("UR{} has another value after an iteration", number);
    for (int number = 0; number < true_predicate; ++number)
        if (before.uniform_predicate(number) != after.uniform_predicate(number))
            return fmt::format("UP{} has another value after an iteration", number);
    if (before.effects() != after.effects()) return "copies, waits, meetings and the branch are others";
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
        const std::span turn = iteration(code, span);
        if ((turn.front().control.wait & loop_scoreboards) != loop_scoreboards)
            return "the loop does not wait for what was before";
        if ((code[span.last + 1].control.wait & loop_scoreboards) != loop_scoreboards)
            return "what follows does not wait for the loop";
        // Code before the loop has its own stall counts; only its distance from the loop matters.
        for (std::size_t body_index = span.first - std::min<std::size_t>(span.first, 32);
             body_index < span.first; ++body_index)
            advance(code[body_index]);
        for (const Instruction& instruction : turn) {
            uniform_written_.registers |= uniform_written(instruction).registers;
            uniform_written_.predicates |= uniform_written(instruction).predicates;
        }
        for (int turns = 0; turns < 2; ++turns)
            for (const Instruction& instruction : turn) {
                if (auto mismatch = check(instruction)) return mismatch;
                advance(instruction);
            }
        for (std::size_t body_index = span.first + turn.size(); body_index <= span.last + 1; ++body_index) {
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
        if (instruction.control.stall < 1) return fmt::format("{} stalls for nothing", name_of(instruction));
        const bool is_load = kind == Kind::shared_load || is_constant_load(instruction);
        if (is_load && instruction.control.write_scoreboard == no_scoreboard)
            return "a load tells nobody when it is done";
        if (kind == Kind::copy && instruction.control.read_scoreboard == no_scoreboard)
            return "a copy tells nobody when it has read";
        if (kind == Kind::copy ||
            kind == Kind::shared_load) // their uniform operands are read at an unknown time
            if (const UniformSet read = uniform_read(instruction); read.overlaps(uniform_written_))
                return fmt::format("{} reads a uniform register that the loop writes", name_of(instruction));
        if (auto mismatch = check_reuse(instruction)) return mismatch;
        return check_distances(instruction);
    }

    Mismatch check_distances(const Instruction& instruction) const {
        const auto is_soon = [&](int number) { return now_ < ready_.at(static_cast<std::size_t>(number)); };
        for (const auto& ranges : {registers_read(instruction), registers_written(instruction)})
            for (const RegisterRange& range : ranges)
                for (int k = range.first; k < range.first + range.count; ++k)
                    if (is_soon(k)) return fmt::format("{} comes too soon for R{}", name_of(instruction), k);
        for (int k = 0; k < true_predicate; ++k)
            if ((predicates_read(instruction) >> k & 1U) != 0 &&
                now_ < predicate_ready_.at(static_cast<std::size_t>(k)))
                return fmt::format("{} comes too soon for P{}", name_of(instruction), k);
        return check_uniform(instruction);
    }

    Mismatch check_uniform(const Instruction& instruction) const {
        for (const UniformSet& set : {uniform_read(instruction), uniform_written(instruction)}) {
            for (int k = 0; k < uniform_zero_register; ++k)
                if ((set.registers >> k & 1U) != 0 && now_ < uniform_ready_.at(static_cast<std::size_t>(k)))
                    return fmt::format("{} comes too soon for UR{}", name_of(instruction), k);
            for (int k = 0; k < true_predicate; ++k)
                if ((set.predicates >> k & 1U) != 0 &&
                    now_ < uniform_predicate_ready_.at(static_cast<std::size_t>(k)))
                    return fmt::format("{} comes too soon for UP{}", name_of(instruction), k);
        }
        return std::nullopt;
    }

    /// No register in the reuse cache may have been overwritten.
    Mismatch check_reuse(const Instruction& instruction) {
        for (const RegisterRange& range : registers_read(instruction)) {
            if (range.slot >= slot_d) continue;
            LiveOut& live_out = live_out_.at(static_cast<std::size_t>(range.slot))
                                    .at(static_cast<std::size_t>(range.first % 2));
            if (live_out.number == range.first && live_out.is_stale)
                return fmt::format("{} finds an old R{} in the reuse cache", name_of(instruction),
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
                    live_out.is_stale = live_out.is_stale || range.has(live_out.number);
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
        int number = -1;
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
    if (after > before) return fmt::format("it takes {} cycles where {} were enough", after, before);
    return std::nullopt;
}

} // namespace swirl::sass
