#include "ir/ranges.hpp"

#include <algorithm>
#include <limits>

namespace swirl::ir {

VariableRanges::VariableRanges(const Program& program)
    : program_(program),
      in_scope_(program.variables.size(), 0),
      values_(program.variables.size()),
      extents_(program.variables.size()) {
    for (std::size_t v = 0; v < program.variables.size(); ++v) {
        const VariableInfo& info = program.variables[v];
        const auto axis = static_cast<std::size_t>(info.axis);
        switch (info.kind) {
        case VariableInfo::Kind::loop:
        case VariableInfo::Kind::induction: continue;
        case VariableInfo::Kind::parameter: break;
        case VariableInfo::Kind::thread:
            extents_[v] = info.digit_count(program.launch.threads.at(axis));
            break;
        case VariableInfo::Kind::block: extents_[v] = info.digit_count(program.launch.blocks.at(axis)); break;
        }
        in_scope_[v] = 1;
        values_[v] = extents_[v] == 1 ? Affine(0) : Affine::of(static_cast<Variable>(v));
    }
}

namespace {

void extend(Range& range, Integer value) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
}

} // namespace

Affine VariableRanges::in_counters(const Affine& form) const {
    Affine result = form.constant();
    for (const Affine::Term& term : form.terms()) {
        ensure(is_in_scope(term.variable), "'{}': variable {} is not in scope", program_.name, term.variable);
        result += term.coefficient * values_[at(term.variable)];
    }
    return result;
}

std::optional<Integer> VariableRanges::trip_count(const For& loop) const {
    const Affine distance = in_counters(loop.end - loop.begin);
    if (!distance.is_constant()) return std::nullopt;
    return iterations(distance.constant(), loop.step);
}

void VariableRanges::enter(const For& loop) {
    const std::optional<Integer> trips = trip_count(loop);
    const Affine counter = trips == 1 ? Affine(0) : Affine::of(loop.variable);
    const auto bind = [&](Variable variable, const Affine& start, Integer step) {
        values_[at(variable)] = in_counters(start) + step * counter;
    };
    bind(loop.variable, loop.begin, loop.step);
    for (const Induction& induction : loop.inductions) {
        if (induction.last.empty()) {
            bind(induction.variable, induction.start, induction.step);
            continue;
        }
        // As if it did not depend on the counter.
        const Integer count = trips.value_or(0), regular = count - std::ssize(induction.last);
        Range distances{0, 0};
        extend(distances, induction.step * (regular - 1));
        for (const Integer distance : induction.last) extend(distances, distance);
        values_[at(induction.variable)] =
            in_counters(induction.start) + distances.low + Affine::of(induction.variable);
        extents_[at(induction.variable)] = distances.high - distances.low + 1;
    }
    extents_[at(loop.variable)] = trips;
    in_scope_[at(loop.variable)] = 1;
    for (const Induction& induction : loop.inductions) in_scope_[at(induction.variable)] = 1;
}

void VariableRanges::leave(const For& loop) {
    in_scope_[at(loop.variable)] = 0;
    for (const Induction& induction : loop.inductions) in_scope_[at(induction.variable)] = 0;
}

std::optional<Range> VariableRanges::range(const Affine& form) const {
    const Affine counters = in_counters(form);
    Range result{counters.constant(), counters.constant()};
    for (const Affine::Term& term : counters.terms()) {
        const std::optional<Integer> extent = extents_[at(term.variable)];
        if (!extent || *extent <= 0) return std::nullopt;
        const Integer farthest = term.coefficient * (*extent - 1);
        (farthest < 0 ? result.low : result.high) += farthest;
    }
    return result;
}

std::optional<Range> VariableRanges::range_with_entry(const Affine& form, Integer scale,
                                                      std::span<const Integer> table,
                                                      const Affine& index) const {
    constexpr Integer most_rows = Integer{1} << 16;
    const Affine at_row = in_counters(index);
    Affine with_row = in_counters(form), without_row = with_row;
    for (const Affine::Term& term : at_row.terms()) without_row = without_row.substitute(term.variable, 0);
    with_row -= without_row;
    const std::optional<Range> others = range(without_row), all_rows = range(at_row);
    if (!others || !all_rows || all_rows->low < 0 || all_rows->high >= std::ssize(table)) return std::nullopt;
    Integer rows = 1;
    for (const Affine::Term& term : at_row.terms()) rows *= *extents_[at(term.variable)];
    if (rows > most_rows) return std::nullopt;
    Range result{std::numeric_limits<Integer>::max(), std::numeric_limits<Integer>::min()};
    for (Integer row = 0; row < rows; ++row) {
        Integer entry = at_row.constant(), value = with_row.constant(), rest = row;
        for (const Affine::Term& term : at_row.terms()) {
            const Integer extent = *extents_[at(term.variable)], counter = rest % extent;
            entry += term.coefficient * counter;
            value += with_row.coefficient(term.variable) * counter;
            rest /= extent;
        }
        value += scale * table[static_cast<std::size_t>(entry)];
        result.low = std::min(result.low, value + others->low);
        result.high = std::max(result.high, value + others->high);
    }
    return result;
}

bool VariableRanges::differs_between_threads(const Affine& form) const {
    const Affine counters = in_counters(form);
    for (const Affine::Term& term : counters.terms())
        if (program_.variables[at(term.variable)].kind == VariableInfo::Kind::thread) return true;
    return false;
}

bool VariableRanges::differs_in_cooperative_group(const Affine& form) const {
    const Affine counters = in_counters(form);
    for (const Affine::Term& term : counters.terms()) {
        const VariableInfo& info = program_.variables[at(term.variable)];
        const bool of_block = info.kind == VariableInfo::Kind::block;
        if (of_block && (info.axis != 0 || info.divisor % program_.launch.cooperative_group != 0))
            return true;
    }
    return differs_between_threads(form);
}

} // namespace swirl::ir
