#pragma once

#include "ir/program.hpp"
#include "problem/data_type.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace swirl::ir {

/// What is wrong with an operation's operands, types and parameters; nothing if it is well-typed. Operands must be
/// values of `program` (in range); scope and bounds are not checked.
std::optional<std::string> type_error(const Program& program, const Operation& operation);

/// "float64" and "float64x8".
std::string name_of(Type type);
std::string_view name_of(Opcode opcode);
std::string_view name_of(Space space);
std::string_view name_of(For::Kind kind);

/// The same for operations on tiles and mbarriers; their operands must exist (ir/tile.hpp).
std::optional<std::string> tile_error(const Program& program, const Operation& operation);

} // namespace swirl::ir
