#pragma once

#include "ir/interpreter_code.hpp"

#include <span>

namespace swirl::ir::interpreted {

/// Executes an operation that touches neither memory nor variables. What is cheap is done for all threads of the
/// block (results of threads that take no part are never looked at), the meanings of instructions for `threads`.
void compute(const Step& step, Cell* cells, std::span<const int> threads, std::size_t all);

/// a + b in the scalar type.
Cell sum(Scalar scalar, Cell a, Cell b);

} // namespace swirl::ir::interpreted
