#pragma once

#include "machine/loop_pattern.hpp"

#include <map>
#include <vector>

namespace swirl::machine {

/// Which registers the instructions between products get when these stand in another order. Values that are used together (pairs of
/// registers, results that are changed in part) move together; those that matter outside of an iteration stay.
class LoopWebs {
public:
    /// `positions`: where each instruction of the body will stand, by its place; of those that are left out, nothing.
    /// `taken`: registers that have other uses. UserError where registers do not suffice.
    LoopWebs(const LoopPattern& pattern, const std::map<std::size_t, std::size_t>& positions,
             const RegisterSet& taken);

    /// The instruction at a place of the body with its new registers.
    Instruction renamed(std::size_t place) const;
    /// The place of the instruction that computed what a load's address is; nothing where it was there before.
    static std::map<std::size_t, std::size_t> makers_of_addresses(const LoopPattern& pattern);

private:
    struct Web {
        std::size_t parent = 0;
        int number = 0;
        bool is_fixed = false;
        std::size_t first = ~std::size_t{0};
        std::size_t last = 0;
    };
    std::size_t root(std::size_t web) const;
    void join(std::size_t a, std::size_t b);
    std::size_t new_web(int number, bool is_fixed);
    void collect(const std::map<std::size_t, std::size_t>& positions);
    void read(std::size_t place, std::size_t position);
    void write(std::size_t place, std::size_t position);
    void allocate(const RegisterSet& taken);

    const LoopPattern& pattern_;
    std::vector<Web> webs_;
    std::map<std::pair<std::size_t, int>, std::size_t> web_of_; ///< by place and operand
    std::vector<std::ptrdiff_t>
        current_; ///< web of each register, −1: none yet, −2: of products and their loads
    std::map<std::size_t, int> moves_; ///< of a group, how far its registers move
};

} // namespace swirl::machine
