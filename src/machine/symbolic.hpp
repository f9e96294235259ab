#pragma once

#include "machine/registers.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace swirl::machine {

/// Values that instructions compute, as terms: equal numbers are equal terms.
class Terms {
public:
    enum class Tag : std::uint8_t {
        entry,
        predicate_entry,
        uniform_entry,
        uniform_predicate_entry,
        result,
        predicate_result,
        uniform_result,
        uniform_predicate_result,
        load,
        multiply_add,
        chosen, ///< of two terms by a guard
        effect
    };
    struct Term {
        Tag tag = Tag::entry;
        std::vector<std::uint64_t> key;
        std::size_t place = 0;    ///< where its first instruction stands, of those that were executed
        int component = 0;        ///< which of its registers
        std::vector<int> of = {}; ///< terms that it follows from
    };
    int number(Term term);
    /// Entries of registers that these terms follow from.
    std::set<int> entries_of(std::vector<int> terms) const;
    const Term& operator[](int number) const { return terms_[static_cast<std::size_t>(number)]; }

private:
    std::vector<Term> terms_;
    std::map<std::vector<std::uint64_t>, int> numbers_;
};

/// Executes instructions on terms. Loads of shared memory are told apart by address and by how often threads have met before them;
/// whatever else touches memory, waits or branches is an effect, in order. What an instruction under a guard writes is chosen by the guard
/// from its result and what was there; another one under the same guard finds the result, as it does nothing where the guard fails.
class SymbolicRun {
public:
    explicit SymbolicRun(Terms& terms) : terms_(terms) {
        registers_.fill(-1);
        predicates_.fill(-1);
        uniform_registers_.fill(-1);
        uniform_predicates_.fill(-1);
    }

    void execute(const Instruction& instruction);
    int value_of(int number);
    int predicate(int number);
    int uniform_register(int number);
    int uniform_predicate(int number);
    const std::vector<int>& effects() const { return effects_; }
    /// Terms of loads from shared memory, where there are such, used or not.
    const std::set<int>& loads() const { return loads_; }

private:
    /// What an instruction is executed by; nothing where always.
    struct Guard {
        int predicate = 0; ///< a term
        bool is_negated = false;
    };
    std::optional<Guard> guard_of(const Instruction& instruction);
    /// What is chosen by a guard that holds, or does not.
    int under(const std::optional<Guard>& guard, bool holds, int value) const;
    template <std::size_t count> int known(std::array<int, count>& values, Terms::Tag entry, int number);
    std::vector<int> operands(const Instruction& instruction);
    void write(const Instruction& instruction, Terms::Tag tag, const Terms::Term& term);

    Terms& terms_;
    std::array<int, zero_register> registers_{};
    std::array<int, true_predicate> predicates_{};
    std::array<int, uniform_zero_register> uniform_registers_{};
    std::array<int, true_predicate> uniform_predicates_{};
    std::vector<int> effects_;
    std::set<int> loads_;
    std::uint64_t meetings_ = 0;
    std::size_t place_ = 0;
};

} // namespace swirl::machine
