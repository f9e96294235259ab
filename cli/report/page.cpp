#include "cli/report/page.hpp"

#include <swirl/version.hpp>

#include "base/error.hpp"
#include "cli/report/assets.hpp"

#include <string_view>
#include <utility>

namespace swirl::cli {
namespace {

/// JSON without '<', so that nothing in it ends or begins an element.
std::string in_html(const Json& json) {
    std::string result;
    for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (c == '<')
            result += "\\u003c";
        else
            result += c;
    }
    return result;
}

} // namespace

std::string report_page(const Results& results) {
    const ReportAssets& assets = report_assets();
    const std::string data = in_html({{"swirl", std::string(version())},
                                      {"runs", results.runs},
                                      {"rows", results.rows},
                                      {"ladders", results.ladders}});
    const std::pair<std::string_view, std::string_view> parts[] = {
        {"{{style}}", assets.style},
        {"{{data}}", data},
        {"{{chart_library}}", assets.chart_library},
        {"{{script}}", assets.script}};
    // In the template's order, so that nothing that is inserted is searched.
    std::string page;
    std::string_view rest = assets.page;
    for (const auto& [name, text] : parts) {
        const std::size_t at = rest.find(name);
        ensure(at != std::string_view::npos, "the page of the report has no {}", name);
        page += rest.substr(0, at);
        page += text;
        rest.remove_prefix(at + name.size());
    }
    return page + std::string(rest);
}

void write_report_of(const Json& document, const std::string& file) {
    Results results;
    add_document(document, "", Age::current, results);
    write_file(file, report_page(results));
}

bool is_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

} // namespace swirl::cli
