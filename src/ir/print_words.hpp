#pragma once

#include "ir/program.hpp"

#include <string>
#include <string_view>

/// Words of a program's text that follow from one part of it alone.
namespace swirl::ir {

/// Shortest text that reads back as the same value of the type.
std::string number_text(long double number, Scalar scalar);
/// " + "; empty of operations that are written as functions.
std::string_view infix(Opcode opcode);
std::string_view relation_text(Condition::Relation relation);
std::string role_line(const Role& role);
std::string fence_line(const CopyFence& fence);

} // namespace swirl::ir
