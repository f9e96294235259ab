#pragma once

#include "cli/report/results.hpp"

#include <string>

namespace swirl::cli {

/// One self-contained HTML page of these results, which needs neither network nor other files.
std::string report_page(const Results& results);

/// Writes the page of one document of `swirl bench --json` or `swirl ladder --json`: their option --plot FILE.html.
void write_report_of(const Json& document, const std::string& file);

/// Whether a file of --plot is to be such a page, by its name.
bool is_page(const std::string& file);

} // namespace swirl::cli
