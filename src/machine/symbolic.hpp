#pragma once

#include "machine/registers.hpp"

#include <array>
#include <map>
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
        effect
    };
    struct Term {
        Tag tag = Tag::entry;
        std::vector<std::uint64_t> key;
        std::size_t place = 0; ///< where its first instruction stands, of those that were executed
        int component = 0;     ///< which of its registers
    };
    int number(Term term);
    const Term& operator[](int number) const { return terms_[static_cast<std::size_t>(number)]; }

private:
    std::vector<Term> terms_;
    std::map<std::vector<std::uint64_t>, int> numbers_;
};

/// Executes instructions on terms. Loads of shared memory are told apart by address and by how often threads have met before them;
/// whatever else touches memory, waits or branches is an effect, in order.
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
    /// Registers read before they were written.
    const std::array<bool, zero_register>& is_read_first() const { return is_read_first_; }

private:
    template <std::size_t count> int known(std::array<int, count>& values, Terms::Tag entry, int number);
    std::vector<std::uint64_t> operands(const Instruction& instruction);
    void add_old_values(const Instruction& instruction, std::vector<std::uint64_t>& key);
    void copy(int from, int to);
    void write(const Instruction& instruction, Terms::Tag tag, std::vector<std::uint64_t> key);

    Terms& terms_;
    std::array<int, zero_register> registers_{};
    std::array<int, true_predicate> predicates_{};
    std::array<int, uniform_zero_register> uniform_registers_{};
    std::array<int, true_predicate> uniform_predicates_{};
    std::array<bool, zero_register> is_read_first_{};
    std::vector<int> effects_;
    std::uint64_t meetings_ = 0;
    std::size_t place_ = 0;
};

} // namespace swirl::machine
