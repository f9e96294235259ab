#pragma once

#include "base/integer.hpp"
#include "cli/output.hpp"

#include <string>

namespace swirl::cli {

/// Memory of a plan besides the caller's arrays, in bytes.
struct PlanMemory {
    Integer workspace = 0; ///< of one execution
    Integer packing = 0;   ///< packed operands of products on a CPU, at most
    Integer tables = 0;    ///< constants that kernels read
};

/// One line.
std::string text_of(const PlanMemory& memory);
/// Adds the members "workspace_bytes", "packing_bytes" and "table_bytes".
void add_memory(Json& report, const PlanMemory& memory);

} // namespace swirl::cli
