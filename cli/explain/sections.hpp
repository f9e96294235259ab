#pragma once

#include "cli/table.hpp"
#include "ir/program.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The layout that all derivations share.
namespace swirl::cli {

/// A heading and its text, each line indented.
std::string section(std::string_view heading, std::string_view text);

/// "# kernel 2 of 3"; empty for the only one.
std::string heading_of(std::size_t k, std::size_t count, std::string_view what);

std::string text_of_ir(std::string_view heading, const ir::Program& program);

/// Operations as lowered and after each pass that changes their number; a vector operation counts once.
class OperationTable {
public:
    enum class Counts : std::uint8_t {
        executed,
        in_the_code ///< each once: for programs whose loops depend on parameters
    };
    explicit OperationTable(const ir::Program& lowered, Counts counts = Counts::executed) : counts_(counts) {
        add("as lowered", lowered);
    }

    void add(std::string_view pass, const ir::Program& program);
    std::string text() const {
        return section(counts_ == Counts::executed ? "ir" : "ir, each operation once", table_.text());
    }

private:
    Counts counts_;
    Table table_{{"after the pass", "loads and stores", "arithmetic", "shuffles"}};
    std::vector<std::string> last_;
};

} // namespace swirl::cli
