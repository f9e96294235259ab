#include "cli/memory_need.hpp"

#include "cli/table.hpp"

#include <fmt/format.h>

namespace swirl::cli {

std::string memory_line(const planning::MemoryNeed& memory) {
    const auto text = [](Integer bytes) { return format_bytes(static_cast<double>(bytes)); };
    std::string line = fmt::format("workspace  {}, tables {}", text(memory.workspace), text(memory.tables));
    if (memory.packing > 0) line += fmt::format(", packed operands {}", text(memory.packing));
    return line + "\n";
}

void add_memory(Json& report, const planning::MemoryNeed& memory) {
    report["workspace_bytes"] = memory.workspace;
    report["packing_bytes"] = memory.packing;
    report["table_bytes"] = memory.tables;
}

} // namespace swirl::cli
