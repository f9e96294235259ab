#include "cli/bench_output.hpp"

#include "base/error.hpp"
#include "cli/report/page.hpp"

#include <filesystem>

namespace swirl::cli {

bool BenchOutput::take(const Json& document) const {
    if (!wants_document()) return false;
    Json whole{{"run", run}};
    whole.update(document);
    if (!plot.empty()) write_report_of(whole, plot);
    if (json) print_json(whole);
    return json;
}

void require_page(const std::string& plot) {
    if (plot.empty()) return;
    if (!is_page(plot)) throw UserError("--plot is '{}'; a page's name ends in .html", plot);
    const auto folder = std::filesystem::absolute(plot).parent_path();
    if (!std::filesystem::is_directory(folder))
        throw UserError("--plot is '{}', but there is no folder {}", plot, folder.string());
}

} // namespace swirl::cli
