#pragma once

#include "sass/loop_pattern.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace swirl::sass {

/// Renames the registers of the instructions between FMAs for a new order. Values used together (register pairs,
/// partially updated results) move together; values live across iterations stay.
class LoopWebs {
public:
    /// UserError if instructions between FMAs read accumulators or operands.
    explicit LoopWebs(const LoopPattern& pattern);

    /// The value that an instruction reads or writes in a register: values of one register that must not be live
    /// simultaneously share a register. Nothing for accumulators and operands.
    std::optional<std::size_t> value_read(std::size_t body_index, int reg) const;
    std::optional<std::size_t> value_written(std::size_t body_index, int reg) const;

    /// Allocates registers; call once. `positions`: the new position of each instruction, by its body index; none for
    /// omitted ones. `taken`: registers in other use. `copy_reads_for`: positions after a copy until which its
    /// operands are not overwritten, as that would wait for the copy. UserError if registers do not suffice.
    void allocate(const std::map<std::size_t, std::size_t>& positions, const RegisterSet& taken,
                  std::size_t copy_reads_for);
    /// The body's instruction with its new registers.
    Instruction renamed(std::size_t body_index) const;

private:
    struct Web {
        std::size_t parent = 0;
        int reg = 0;
        bool is_fixed = false;
        bool is_of_pair = false;                    ///< first or second register of an aligned pair
        std::vector<std::size_t> body_indices = {}; ///< of the instructions that use it
        std::size_t first = ~std::size_t{0};
        std::size_t last = 0;
    };
    std::size_t root(std::size_t web) const;
    void join(std::size_t a, std::size_t b);
    std::size_t new_web(int reg, bool is_fixed);
    void collect();
    void read(std::size_t body_index);
    void write(std::size_t body_index);
    bool is_read_only_under_guards(std::size_t body_index, int reg) const;
    std::size_t value_of(std::size_t web) const;
    void set_spans(const std::map<std::size_t, std::size_t>& positions, std::size_t copy_reads_for);
    bool is_free(const std::vector<std::size_t>& group, int move, bool is_fixed,
                 const RegisterSet& taken) const;
    void assign_registers(std::size_t group, const std::vector<std::size_t>& webs, int move);

    const LoopPattern& pattern_;
    std::vector<Web> webs_;
    std::set<std::size_t> fixed_;                               ///< groups with a fixed web
    std::map<std::pair<std::size_t, int>, std::size_t> web_of_; ///< by body index and operand
    std::map<std::pair<std::size_t, int>, std::size_t> read_,
        written_;                         ///< webs by body index and register
    std::vector<std::ptrdiff_t> current_; ///< web of each register; −1: none yet, −2: of FMAs and their loads
    std::map<std::size_t, int> moves_;                                   ///< register offset of each group
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> busy_; ///< position intervals, by register
};

} // namespace swirl::sass
