#pragma once

#include "sass/registers.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace swirl::sass {

/// Values that instructions compute, as hash-consed terms: equal ids mean equal terms.
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
        chosen, ///< one of two terms, by a guard
        effect
    };
    struct Term {
        Tag tag = Tag::entry;
        std::vector<std::uint64_t> key;
        std::size_t body_index = 0;   ///< position of its first instruction among those executed
        int component = 0;            ///< which of its result registers
        std::vector<int> inputs = {}; ///< operand terms
    };
    int id_of(Term term);
    /// Register entries on which these terms depend.
    std::set<int> entries_of(std::vector<int> terms) const;
    const Term& operator[](int id) const { return terms_[static_cast<std::size_t>(id)]; }

private:
    std::vector<Term> terms_;
    std::map<std::vector<std::uint64_t>, int> ids_;
};

/// Symbolic execution of instructions on terms. Loads from shared memory are distinguished by address and by the
/// number of barriers before them; everything else that accesses memory, waits or branches is an effect, in order. A
/// guarded instruction's result is a choice between the new and the old value; another instruction with the same
/// guard sees the new one, as it does nothing if the guard fails.
class SymbolicRun {
public:
    explicit SymbolicRun(Terms& terms) : terms_(terms) {
        registers_.fill(-1);
        predicates_.fill(-1);
        uniform_registers_.fill(-1);
        uniform_predicates_.fill(-1);
    }

    void execute(const Instruction& instruction);
    int value_of(int reg);
    int predicate(int index);
    int uniform_register(int reg);
    int uniform_predicate(int index);
    const std::vector<int>& effects() const { return effects_; }
    /// Terms of all loads from shared memory, used or not.
    const std::set<int>& loads() const { return loads_; }

private:
    /// An instruction's guard; nothing if unconditional.
    struct Guard {
        int predicate = 0; ///< a term
        bool is_negated = false;
    };
    std::optional<Guard> guard_of(const Instruction& instruction);
    /// Resolves a choice, given that its guard holds or does not.
    int under(const std::optional<Guard>& guard, bool holds, int value) const;
    template <std::size_t count> int known(std::array<int, count>& values, Terms::Tag entry, int index);
    std::vector<int> operands(const Instruction& instruction);
    void write(const Instruction& instruction, Terms::Tag tag, const Terms::Term& term);

    Terms& terms_;
    std::array<int, zero_register> registers_{};
    std::array<int, true_predicate> predicates_{};
    std::array<int, uniform_zero_register> uniform_registers_{};
    std::array<int, true_predicate> uniform_predicates_{};
    std::vector<int> effects_;
    std::set<int> loads_;
    std::uint64_t barriers_ = 0;
    std::size_t body_index_ = 0;
};

} // namespace swirl::sass
