#pragma once

#include "sass/liveness.hpp"
#include "sass/loops.hpp"

#include <vector>

namespace swirl::sass {

/// Register of an operand within a k step: the load that fills it, and which of the load's registers it is.
struct OperandRegister {
    int load = 0;
    int component = 0;
    friend bool operator==(const OperandRegister&, const OperandRegister&) = default;
};

/// A load of operands from shared memory, in the compiled loop.
struct OperandLoad {
    std::size_t body_index = 0; ///< index in the loop's body
    int width = 0;              ///< registers
};

/// A main loop whose iteration accumulates `k_steps` outer products of a column and a row of operands in registers.
/// The operands of its first k step are loaded by the previous iteration, after the barrier.
struct LoopPattern {
    LoopSpan span;
    Code body;
    Instruction fma; ///< a template FMA from which others are made
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t k_steps = 0;
    std::vector<int> accumulators;             ///< register of row i, column j at i · columns + j
    std::vector<OperandRegister> row_operands; ///< the same in each k step
    std::vector<OperandRegister> column_operands;
    std::vector<std::vector<OperandLoad>>
        loads;                        ///< of each k step; those of k step 0 are for the next iteration
    std::vector<int> first_registers; ///< that the loads of k step 0 fill
    std::vector<std::size_t>
        other_instructions; ///< indices in the body of everything but FMAs, loads and the branch
    RegisterSet live_out;   ///< registers live at the loop's entry or exit
    RegisterSet free;       ///< allocated registers that are not in use
};

/// Recognises a compiled kernel's main loop. UserError with the difference if it is not of this kind. `registers`:
/// the kernel's allocation.
LoopPattern loop_pattern(const Code& code, int registers);

} // namespace swirl::sass
