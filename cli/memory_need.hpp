#pragma once

#include "cli/output.hpp"
#include "plan/memory_need.hpp"

#include <string>

namespace swirl::cli {

/// One line: what a plan keeps, without the memory of its check and of a search.
std::string memory_line(const planning::MemoryNeed& memory);
/// Adds the members "workspace_bytes", "packing_bytes" and "table_bytes".
void add_memory(Json& report, const planning::MemoryNeed& memory);

} // namespace swirl::cli
