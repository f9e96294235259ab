#pragma once

#include "machine/liveness.hpp"
#include "machine/loops.hpp"

#include <vector>

namespace swirl::machine {

/// Where one of a step's factors lies: in which of the step's loads, and in which of the registers that it fills.
struct FactorPlace {
    int load = 0;
    int component = 0;
    friend bool operator==(const FactorPlace&, const FactorPlace&) = default;
};

/// A load of factors from shared memory, in the compiled loop.
struct FactorLoad {
    std::size_t place = 0; ///< in the loop's body
    int width = 0;         ///< registers
};

/// A main loop in which each iteration adds `steps` outer products of a column of factors and a row of them to sums that stay in
/// registers; the factors of an iteration's first step are loaded by the one before, behind the meeting of the threads.
struct LoopPattern {
    LoopSpan span;
    Code body;
    Instruction product; ///< a multiply-add, to make others of
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t steps = 0;
    std::vector<int> sums;               ///< the register of row i, column j at i · columns + j
    std::vector<FactorPlace> row_places; ///< the same in each step
    std::vector<FactorPlace> column_places;
    std::vector<std::vector<FactorLoad>>
        loads;                        ///< of each step; those of step 0 for the iteration that follows
    std::vector<int> first_registers; ///< that the loads of step 0 fill
    std::vector<std::size_t>
        others;       ///< places in the body of what is neither a product nor a load nor the branch
    RegisterSet kept; ///< registers whose values at the loop's beginning or end matter to anybody
    RegisterSet free; ///< those that the kernel has and nobody minds
};

/// Reads a compiled kernel's main loop. UserError, saying what is different, where it is none of this kind.
/// `registers`: how many the kernel has.
LoopPattern loop_pattern(const Code& code, int registers);

} // namespace swirl::machine
