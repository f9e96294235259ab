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

int SymbolicRun::value_of(int number) {
    int& value = registers_.at(static_cast<std::size_t>(number));
    if (value < 0)
        value = terms_.number({Terms::Tag::entry, {static_cast<std::uint64_t>(number)}, place_, 0});
    return value;
}

int SymbolicRun::predicate(int number) {
    int& value = predicates_.at(static_cast<std::size_t>(number));
    if (value < 0)
        value = terms_.number({Terms::Tag::predicate_entry, {static_cast<std::uint64_t>(number)}, place_, 0});
    return value;
}

/// The instruction without its registers and control, then the terms that it reads.
std::vector<std::uint64_t> SymbolicRun::operands(const Instruction& instruction) {
    Instruction bare = instruction;
    bare.control = {};
    std::vector<std::uint64_t> values;
    for (const RegisterRange& range : registers_read(instruction)) {
        set_register(bare, range.slot, 0);
        for (int k = range.first; k < range.first + range.count; ++k) {
            if (registers_.at(static_cast<std::size_t>(k)) < 0)
                is_read_first_.at(static_cast<std::size_t>(k)) = true;
            values.push_back(static_cast<std::uint64_t>(value_of(k)));
        }
    }
    for (const RegisterRange& range : registers_written(instruction)) set_register(bare, range.slot, 0);
    for (int k = 0; k < true_predicate; ++k)
        if ((predicates_read(instruction) >> k & 1U) != 0)
            values.push_back(static_cast<std::uint64_t>(predicate(k)));
    if (kind_of(instruction) == Kind::multiply_add && values.size() == 3) // factors may change places
        std::sort(values.begin(), values.begin() + 2);
    const Word word = encode(bare);
    std::vector<std::uint64_t> key = {word.low, word.high};
    key.insert(key.end(), values.begin(), values.end());
    return key;
}

/// Under a guard, what was there before is part of the result.
void SymbolicRun::write(const Instruction& instruction, Terms::Tag tag, std::vector<std::uint64_t> key) {
    const std::uint32_t written = predicates_written(instruction);
    if (!instruction.is_unconditional()) {
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = range.first; k < range.first + range.count; ++k) {
                if (registers_.at(static_cast<std::size_t>(k)) < 0)
                    is_read_first_.at(static_cast<std::size_t>(k)) = true;
                key.push_back(static_cast<std::uint64_t>(value_of(k)));
            }
        for (int k = 0; k < true_predicate; ++k)
            if ((written >> k & 1U) != 0) key.push_back(static_cast<std::uint64_t>(predicate(k)));
    }
    for (const RegisterRange& range : registers_written(instruction))
        for (int k = 0; k < range.count; ++k)
            registers_.at(static_cast<std::size_t>(range.first + k)) = terms_.number({tag, key, place_, k});
    for (int k = 0; k < true_predicate; ++k)
        if ((written >> k & 1U) != 0)
            predicates_.at(static_cast<std::size_t>(k)) =
                terms_.number({Terms::Tag::predicate_result, key, place_, k});
}

void SymbolicRun::execute(const Instruction& instruction) {
    const Kind kind = kind_of(instruction);
    if (kind != Kind::nothing) {
        std::vector<std::uint64_t> key = operands(instruction);
        if (kind == Kind::shared_load) {
            key.push_back(meetings_);
            write(instruction, Terms::Tag::load, std::move(key));
        } else if (kind == Kind::multiply_add && instruction.is_unconditional() && key.size() == 5) {
            write(instruction, Terms::Tag::multiply_add, std::move(key));
        } else if (kind == Kind::integer || kind == Kind::move || kind == Kind::predicate) {
            write(instruction, Terms::Tag::result, std::move(key));
        } else {
            if (kind == Kind::branch) key.resize(std::min<std::size_t>(key.size(), 3)), key[0] = key[1] = 0;
            effects_.push_back(terms_.number({Terms::Tag::effect, std::move(key), place_, 0}));
            if (kind == Kind::barrier) ++meetings_;
        }
    }
    ++place_;
}

} // namespace swirl::machine
