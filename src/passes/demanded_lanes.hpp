#pragma once

#include "ir/program.hpp"

#include <cstdint>
#include <vector>

namespace swirl::passes {

/// For each operation's result, bit l says that lane l may reach memory or an operation that depends on all lanes;
/// other lanes may hold anything.
std::vector<std::uint64_t> demanded_lanes(const ir::Program& program);

} // namespace swirl::passes
