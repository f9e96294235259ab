#pragma once

#include "ir/interpreter_decode.hpp"

#include <span>

namespace swirl::ir::interpreted {

/// Executes an operation that accesses neither memory nor variables. Cheap operations are done for all threads of the
/// block (results of inactive threads are never read), target instructions for `threads` only.
void compute(const DecodedOperation& op, Cell* cells, std::span<const int> threads, std::size_t all);

/// a + b in the scalar type.
Cell sum(DataType scalar, Cell a, Cell b);

} // namespace swirl::ir::interpreted
