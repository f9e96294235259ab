#include "sass/symbolic.hpp"

#include <algorithm>

namespace swirl::sass {

int Terms::id_of(Term term) {
    std::vector<std::uint64_t> key = term.key;
    key.push_back(static_cast<std::uint64_t>(term.tag));
    key.push_back(static_cast<std::uint64_t>(term.component));
    const auto [found, is_new] = ids_.emplace(std::move(key), static_cast<int>(terms_.size()));
    if (is_new) terms_.push_back(std::move(term));
    return found->second;
}

template <std::size_t count>
int SymbolicRun::known(std::array<int, count>& values, Terms::Tag entry, int index) {
    int& value = values.at(static_cast<std::size_t>(index));
    if (value < 0) value = terms_.id_of({entry, {static_cast<std::uint64_t>(index)}, body_index_, 0});
    return value;
}
int SymbolicRun::value_of(int reg) { return known(registers_, Terms::Tag::entry, reg); }
int SymbolicRun::predicate(int index) { return known(predicates_, Terms::Tag::predicate_entry, index); }
int SymbolicRun::uniform_register(int reg) {
    return known(uniform_registers_, Terms::Tag::uniform_entry, reg);
}
int SymbolicRun::uniform_predicate(int index) {
    return known(uniform_predicates_, Terms::Tag::uniform_predicate_entry, index);
}

std::set<int> Terms::entries_of(std::vector<int> terms) const {
    std::set<int> seen(terms.begin(), terms.end()), result;
    while (!terms.empty()) {
        const Term& term = (*this)[terms.back()];
        terms.pop_back();
        if (term.tag == Tag::entry) result.insert(static_cast<int>(term.key.front()));
        for (const int other : term.inputs)
            if (seen.insert(other).second) terms.push_back(other);
    }
    return result;
}

/// For uniform instructions it is a uniform predicate.
std::optional<SymbolicRun::Guard> SymbolicRun::guard_of(const Instruction& instruction) {
    if (instruction.guard == true_predicate) return std::nullopt;
    const Opcode* const opcode = opcode_of(instruction);
    const bool is_uniform = opcode != nullptr && opcode->is_uniform;
    return Guard{is_uniform ? uniform_predicate(instruction.guard) : predicate(instruction.guard),
                 instruction.is_guard_negated};
}

int SymbolicRun::under(const std::optional<Guard>& guard, bool holds, int value) const {
    while (guard && terms_[value].tag == Terms::Tag::chosen) {
        const std::vector<int>& inputs = terms_[value].inputs;
        if (inputs[0] != guard->predicate) break;
        const bool is_same = (terms_[value].key[1] != 0) == guard->is_negated;
        value = inputs[is_same == holds ? 1 : 2];
    }
    return value;
}

/// The terms that it reads, including its guard.
std::vector<int> SymbolicRun::operands(const Instruction& instruction) {
    const std::optional<Guard> guard = guard_of(instruction);
    std::vector<int> values;
    for (const RegisterRange& range : registers_read(instruction))
        for (int k = range.first; k < range.first + range.count; ++k)
            values.push_back(under(guard, true, value_of(k)));
    for (int k = 0; k < true_predicate; ++k)
        if ((predicates_read(instruction) >> k & 1U) != 0) values.push_back(under(guard, true, predicate(k)));
    const UniformSet uniform = uniform_read(instruction);
    for (int k = 0; k < uniform_zero_register; ++k)
        if ((uniform.registers >> k & 1U) != 0) values.push_back(under(guard, true, uniform_register(k)));
    for (int k = 0; k < true_predicate; ++k)
        if ((uniform.predicates >> k & 1U) != 0) values.push_back(under(guard, true, uniform_predicate(k)));
    if (kind_of(instruction) == Kind::multiply_add && values.size() == 3) // multiplication commutes
        std::sort(values.begin(), values.begin() + 2);
    return values;
}

void SymbolicRun::write(const Instruction& instruction, Terms::Tag tag, const Terms::Term& term) {
    const std::optional<Guard> guard = guard_of(instruction);
    const auto result = [&](Terms::Tag own, int component, int old) {
        const int value = terms_.id_of({own, term.key, body_index_, component, term.inputs});
        if (own == Terms::Tag::load) loads_.insert(value);
        if (!guard) return value;
        const int other = under(guard, false, old);
        const std::vector<int> inputs = {guard->predicate, value, other};
        return terms_.id_of({Terms::Tag::chosen,
                             {static_cast<std::uint64_t>(guard->predicate), guard->is_negated ? 1U : 0U,
                              static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(other)},
                             body_index_,
                             0,
                             inputs});
    };
    for (const RegisterRange& range : registers_written(instruction))
        for (int k = 0; k < range.count; ++k) {
            const int old = guard ? value_of(range.first + k) : -1;
            registers_.at(static_cast<std::size_t>(range.first + k)) = result(tag, k, old);
        }
    const auto write_each = [&](auto& values, std::uint64_t written, Terms::Tag own, auto&& value_before) {
        for (int k = 0; k < static_cast<int>(values.size()); ++k)
            if ((written >> k & 1U) != 0)
                values.at(static_cast<std::size_t>(k)) = result(own, k, guard ? value_before(k) : -1);
    };
    const UniformSet uniform = uniform_written(instruction);
    write_each(predicates_, predicates_written(instruction), Terms::Tag::predicate_result,
               [this](int k) { return predicate(k); });
    write_each(uniform_registers_, uniform.registers, Terms::Tag::uniform_result,
               [this](int k) { return uniform_register(k); });
    write_each(uniform_predicates_, uniform.predicates, Terms::Tag::uniform_predicate_result,
               [this](int k) { return uniform_predicate(k); });
}

void SymbolicRun::execute(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    if (const auto source = copied_register(instruction)) {
        registers_.at(static_cast<std::size_t>(instruction.d)) = value_of(*source);
    } else if (kind != Kind::nothing) {
        const Word word = form_of(instruction);
        Terms::Term term{Terms::Tag::result, {word.low, word.high}, body_index_, 0, operands(instruction)};
        for (const int value : term.inputs) term.key.push_back(static_cast<std::uint64_t>(value));
        if (kind == Kind::shared_load) {
            term.key.push_back(barriers_);
            write(instruction, Terms::Tag::load, term);
        } else if (kind == Kind::multiply_add && instruction.is_unconditional() && term.inputs.size() == 3) {
            write(instruction, Terms::Tag::multiply_add, term);
        } else if (kind == Kind::integer || kind == Kind::move || kind == Kind::predicate ||
                   kind == Kind::uniform || is_constant_load(instruction)) {
            write(instruction, Terms::Tag::result, term);
        } else { // its result may depend on all previous effects
            term.tag = Terms::Tag::effect;
            effects_.push_back(terms_.id_of(term));
            term.key.push_back(effects_.size());
            write(instruction, Terms::Tag::result, term);
            if (kind == Kind::barrier) ++barriers_;
        }
    }
    ++body_index_;
}

} // namespace swirl::sass
