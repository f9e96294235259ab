#pragma once

#include "ir/ranges.hpp"

#include <optional>
#include <string>

/// The verifier's rules that need to know nothing of what comes before: what is wrong, or nothing. Operations are well-typed.
namespace swirl::ir {

std::optional<std::string> launch_error(const Launch& launch);
std::optional<std::string> buffer_error(const Program& program, const BufferInfo& buffer);
std::optional<std::string> tensor_error(const Program& program, const TensorInfo& tensor);

/// Of the parts alone; where they stand is not looked at.
std::optional<std::string> roles_error(const Program& program, const Roles& parts);

/// Kinds of fences that mean nothing.
std::optional<std::string> fence_error(const CopyFence& fence);

/// `is_certain`: the operation is executed for all values of the variables.
std::optional<std::string> tile_rule_error(const Program& program, const VariableRanges& ranges,
                                           const Operation& operation, bool is_certain);

} // namespace swirl::ir
