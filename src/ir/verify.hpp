#pragma once

#include "ir/program.hpp"

#include <string_view>

namespace swirl::ir {

/// Stages of lowering. Each level allows what the one before it produced, and forbids what it removed.
enum class VerificationLevel {
    lowered, ///< vector loops (begin 0, constant end, containing only straight-line blocks of scalar operations)
    vectorized, ///< no vector loops; vectors and shuffles of any length
    legalized, ///< also: shuffles as target instructions, addresses of at most one variable, power-of-two lanes, no
               ///< loops left to unroll
};

std::string_view name_of(VerificationLevel level);

/// Checks a program; throws InternalError with the level, the rule and the printed operation. At every level:
///
/// - each operation is in at most one straight-line block, is well-typed, and uses only values defined before it in
///   scope;
/// - loops have positive steps and their own variables; variables are used only in their scope;
/// - accesses whose range is known exactly (constant loop extents, no condition, no dynamic index except a table
///   lookup) are in bounds;
/// - nothing is stored to a table or to a buffer that is not `written`;
/// - scratch, local and shared memory is stored to somewhere before an unconditional load, and tables have contents;
/// - on a CPU, values enter, leave or pass a parallel loop, if it is in no loop or in parallel ones alone, only through
///   memory: code that threads run at different times becomes separate functions;
/// - tensors satisfy TMA's requirements; roles are whole warpgroups that cover the block, are not nested, and have no
///   barriers of several blocks; mbarriers are initialized before use; boxes and operands are inside their buffers and
///   aligned;
/// - a barrier is under no condition or loop extent that differs between threads, and in no vector or parallel loop.
void verify(const Program& program, VerificationLevel level);

} // namespace swirl::ir
