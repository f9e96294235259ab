#pragma once

#include "machine/loop_pattern.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace swirl::machine {

/// Which registers the instructions between products get when these stand in another order. Values that are used together (pairs of
/// registers, results that are changed in part) move together; those that matter outside of an iteration stay.
class LoopWebs {
public:
    /// UserError where what stands between products reads sums or factors.
    explicit LoopWebs(const LoopPattern& pattern);

    /// Where an instruction reads or writes a register, the value that is meant: values of one register that may not live at once have the
    /// same number. Nothing for sums and factors.
    std::optional<std::size_t> value_read(std::size_t place, int number) const;
    std::optional<std::size_t> value_written(std::size_t place, int number) const;

    /// `positions`: where each instruction of the body will stand, by its place; of those that are left out, nothing.
    /// `taken`: registers that have other uses. `copy_reads_for`: positions behind a copy until which its operands are left alone, as
    /// overwriting them earlier would wait for it. Once only. UserError where registers do not suffice.
    void allocate(const std::map<std::size_t, std::size_t>& positions, const RegisterSet& taken,
                  std::size_t copy_reads_for);
    /// The instruction at a place of the body with its new registers.
    Instruction renamed(std::size_t place) const;

private:
    struct Web {
        std::size_t parent = 0;
        int number = 0;
        bool is_fixed = false;
        bool is_of_pair = false;              ///< it begins where pairs do, or is the second of one
        std::vector<std::size_t> places = {}; ///< of the instructions that have it
        std::size_t first = ~std::size_t{0};
        std::size_t last = 0;
    };
    std::size_t root(std::size_t web) const;
    void join(std::size_t a, std::size_t b);
    std::size_t new_web(int number, bool is_fixed);
    void collect();
    void read(std::size_t place);
    void write(std::size_t place);
    bool is_seen_under_guards_alone(std::size_t place, int number) const;
    std::size_t value_of(std::size_t web) const;
    void set_spans(const std::map<std::size_t, std::size_t>& positions, std::size_t copy_reads_for);
    bool is_free(const std::vector<std::size_t>& group, int move, bool is_fixed,
                 const RegisterSet& taken) const;
    void place_group(std::size_t group, const std::vector<std::size_t>& webs, int move);

    const LoopPattern& pattern_;
    std::vector<Web> webs_;
    std::set<std::size_t> fixed_;                               ///< groups that have a web which stays
    std::map<std::pair<std::size_t, int>, std::size_t> web_of_; ///< by place and operand
    std::map<std::pair<std::size_t, int>, std::size_t> read_,
        written_; ///< webs by place and register
    std::vector<std::ptrdiff_t>
        current_; ///< web of each register, −1: none yet, −2: of products and their loads
    std::map<std::size_t, int> moves_; ///< of a group, how far its registers move
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> busy_; ///< positions, by register
};

} // namespace swirl::machine
