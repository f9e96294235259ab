#include "machine/symbolic.hpp"

#include <algorithm>

namespace swirl::machine {

int Terms::number(Term term) {
    std::vector<std::uint64_t> key = term.key;
    key.push_back(static_cast<std::uint64_t>(term.tag));
    key.push_back(static_cast<std::uint64_t>(term.component));
    const auto [found, is_new] = numbers_.emplace(std::move(key), static_cast<int>(terms_.size()));
    if (is_new) terms_.push_back(std::move(term));
    return found->second;
}

template <std::size_t count>
int SymbolicRun::known(std::array<int, count>& values, Terms::Tag entry, int number) {
    int& value = values.at(static_cast<std::size_t>(number));
    if (value < 0) value = terms_.number({entry, {static_cast<std::uint64_t>(number)}, place_, 0});
    return value;
}
int SymbolicRun::value_of(int number) { return known(registers_, Terms::Tag::entry, number); }
int SymbolicRun::predicate(int number) { return known(predicates_, Terms::Tag::predicate_entry, number); }
int SymbolicRun::uniform_register(int number) {
    return known(uniform_registers_, Terms::Tag::uniform_entry, number);
}
int SymbolicRun::uniform_predicate(int number) {
    return known(uniform_predicates_, Terms::Tag::uniform_predicate_entry, number);
}

/// The instruction without its registers and control, then the terms that it reads.
std::vector<std::uint64_t> SymbolicRun::operands(const Instruction& instruction) {
    std::vector<std::uint64_t> values;
    for (const RegisterRange& range : registers_read(instruction)) {
        for (int k = range.first; k < range.first + range.count; ++k) {
            if (registers_.at(static_cast<std::size_t>(k)) < 0)
                is_read_first_.at(static_cast<std::size_t>(k)) = true;
            values.push_back(static_cast<std::uint64_t>(value_of(k)));
        }
    }
    for (int k = 0; k < true_predicate; ++k)
        if ((predicates_read(instruction) >> k & 1U) != 0)
            values.push_back(static_cast<std::uint64_t>(predicate(k)));
    const UniformSet uniform = uniform_read(instruction);
    for (int k = 0; k < uniform_zero_register; ++k)
        if ((uniform.registers >> k & 1U) != 0)
            values.push_back(static_cast<std::uint64_t>(uniform_register(k)));
    for (int k = 0; k < true_predicate; ++k)
        if ((uniform.predicates >> k & 1U) != 0)
            values.push_back(static_cast<std::uint64_t>(uniform_predicate(k)));
    if (kind_of(instruction) == Kind::multiply_add && values.size() == 3) // factors may change places
        std::sort(values.begin(), values.begin() + 2);
    const Word word = form_of(instruction);
    std::vector<std::uint64_t> key = {word.low, word.high};
    key.insert(key.end(), values.begin(), values.end());
    return key;
}

void SymbolicRun::add_old_values(const Instruction& instruction, std::vector<std::uint64_t>& key) {
    const auto add = [&](int value) { key.push_back(static_cast<std::uint64_t>(value)); };
    for (const RegisterRange& range : registers_written(instruction))
        for (int k = range.first; k < range.first + range.count; ++k) {
            if (registers_.at(static_cast<std::size_t>(k)) < 0)
                is_read_first_.at(static_cast<std::size_t>(k)) = true;
            add(value_of(k));
        }
    const UniformSet uniform = uniform_written(instruction);
    for (int k = 0; k < true_predicate; ++k) {
        if ((predicates_written(instruction) >> k & 1U) != 0) add(predicate(k));
        if ((uniform.predicates >> k & 1U) != 0) add(uniform_predicate(k));
    }
    for (int k = 0; k < uniform_zero_register; ++k)
        if ((uniform.registers >> k & 1U) != 0) add(uniform_register(k));
}

/// Under a guard, what was there before is part of the result.
void SymbolicRun::write(const Instruction& instruction, Terms::Tag tag, std::vector<std::uint64_t> key) {
    if (!instruction.is_unconditional()) add_old_values(instruction, key);
    for (const RegisterRange& range : registers_written(instruction))
        for (int k = 0; k < range.count; ++k)
            registers_.at(static_cast<std::size_t>(range.first + k)) = terms_.number({tag, key, place_, k});
    const auto write_each = [&](auto& values, std::uint64_t written, Terms::Tag result) {
        for (int k = 0; k < static_cast<int>(values.size()); ++k)
            if ((written >> k & 1U) != 0)
                values.at(static_cast<std::size_t>(k)) = terms_.number({result, key, place_, k});
    };
    const UniformSet uniform = uniform_written(instruction);
    write_each(predicates_, predicates_written(instruction), Terms::Tag::predicate_result);
    write_each(uniform_registers_, uniform.registers, Terms::Tag::uniform_result);
    write_each(uniform_predicates_, uniform.predicates, Terms::Tag::uniform_predicate_result);
}

void SymbolicRun::copy(int from, int to) {
    const auto source = static_cast<std::size_t>(from);
    if (registers_.at(source) < 0) is_read_first_.at(source) = true;
    registers_.at(static_cast<std::size_t>(to)) = value_of(from);
}

void SymbolicRun::execute(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    if (const auto source = copied_register(instruction)) {
        copy(*source, instruction.d);
    } else if (kind != Kind::nothing) {
        std::vector<std::uint64_t> key = operands(instruction);
        if (kind == Kind::shared_load) {
            key.push_back(meetings_);
            write(instruction, Terms::Tag::load, std::move(key));
        } else if (kind == Kind::multiply_add && instruction.is_unconditional() && key.size() == 5) {
            write(instruction, Terms::Tag::multiply_add, std::move(key));
        } else if (kind == Kind::integer || kind == Kind::move || kind == Kind::predicate ||
                   kind == Kind::uniform || is_constant_load(instruction)) {
            write(instruction, Terms::Tag::result, std::move(key));
        } else {
            effects_.push_back(terms_.number({Terms::Tag::effect, std::move(key), place_, 0}));
            if (kind == Kind::barrier) ++meetings_;
        }
    }
    ++place_;
}

} // namespace swirl::machine
