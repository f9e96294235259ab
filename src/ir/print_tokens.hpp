#pragma once

#include "ir/program.hpp"

#include <string>
#include <string_view>

/// Text of single tokens of a program.
namespace swirl::ir {

/// Shortest text that parses to the same value of the type.
std::string constant_text(long double value, DataType scalar);
/// " + "; empty for operations in function notation.
std::string_view infix(Opcode opcode);
std::string_view relation_text(Condition::Relation relation);
std::string role_line(const WarpRole& role);
std::string fence_line(const AsyncFence& fence);

} // namespace swirl::ir
