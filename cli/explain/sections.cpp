#include "cli/explain/sections.hpp"

#include "ir/count.hpp"
#include "ir/print.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::cli {

std::string section(std::string_view heading, std::string_view text) {
    std::string result = fmt::format("\n{}\n", heading);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) result += "  ";
        result += std::string(text.substr(begin, end - begin)) + "\n";
        begin = end + 1;
    }
    return result;
}

std::string heading_of(std::size_t k, std::size_t count, std::string_view what) {
    return count > 1 ? fmt::format("\n# {} {} of {}\n", what, k + 1, count) : "";
}

std::string text_of_ir(std::string_view heading, const ir::Program& program) {
    return section(heading, ir::to_string(program, ir::PrintStyle::compact));
}

void OperationTable::add(std::string_view pass, const ir::Program& program) {
    const ir::OperationCounts n = ir::count_operations(program, {.loops = counts_ == Counts::executed});
    std::vector<std::string> row = {std::string(pass), std::to_string(n.loads + n.stores),
                                    std::to_string(n.additions + n.multiplications + n.fused + n.negations),
                                    std::to_string(n.shuffles)};
    const bool same = !last_.empty() && std::equal(row.begin() + 1, row.end(), last_.begin() + 1);
    if (!same) table_.add(row);
    last_ = std::move(row);
}

} // namespace swirl::cli
