#pragma once

#include "ir/ranges.hpp"

#include <optional>
#include <string>

/// Context-free rules of the verifier: what is wrong, or nothing. Operations are well-typed.
namespace swirl::ir {

std::optional<std::string> launch_error(const Launch& launch);
std::optional<std::string> buffer_error(const Program& program, const BufferInfo& buffer);
std::optional<std::string> tensor_error(const Program& program, const TensorInfo& tensor);

/// Checks the warp_roles themselves, not their position.
std::optional<std::string> roles_error(const Program& program, const WarpRoles& warp_roles);

/// Rejects meaningless kinds of fences.
std::optional<std::string> fence_error(const AsyncFence& fence);

/// `is_certain`: the operation is executed for all values of the variables.
std::optional<std::string> tile_rule_error(const Program& program, const VariableRanges& ranges,
                                           const Operation& operation, bool is_certain);

} // namespace swirl::ir
