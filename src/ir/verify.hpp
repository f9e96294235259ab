#pragma once

#include "ir/program.hpp"

#include <string_view>

namespace swirl::ir {

/// How far a program has come. Each stage allows what the one before it made, and forbids what it removed.
enum class Stage {
    lowered, ///< vector loops (begin 0, constant end, nothing but straight runs of scalar operations inside)
    vectorized, ///< no vector loops; vectors and shuffles of any length
    machine, ///< also: shuffles as target instructions, addresses of at most one variable, lanes powers of two,
             ///< no loops left to unroll
};

std::string_view name_of(Stage stage);

/// Checks a program; throws InternalError with the stage, the rule and the printed operation. At every stage:
///
/// - each operation is in at most one run, is well-typed, and uses only values defined before it in scope;
/// - loops have positive steps and variables of their own; variables are used in their scope only;
/// - accesses whose range is known exactly (constant loop extents, no condition, no dynamic index but one looked up in a
///   table) are in bounds;
/// - nothing is stored to a table or to a buffer that is not `written`;
/// - scratch, local and shared memory is stored to somewhere before an unconditional load, and tables have contents;
/// - on a CPU no value passes into or out of an outermost parallel loop, nor from before it to after it, but through
///   memory: what threads run at different times are functions of their own;
/// - tensors are such as the copy engine takes; roles are whole warpgroups, all of a block, not in other roles, and have no barriers
///   of several blocks; signals are initialized before they are used; boxes and factors lie in their buffers, aligned;
/// - a barrier is under no condition or loop extent that differs between threads, and in no vector or parallel loop.
void verify(const Program& program, Stage stage);

} // namespace swirl::ir
