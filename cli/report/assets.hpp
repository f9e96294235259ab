#pragma once

#include <string_view>

namespace swirl::cli {

/// The files of cli/report/page, and the chart library; cmake/ReportPage.cmake compiles them into the program.
struct ReportAssets {
    std::string_view page; ///< HTML with one {{name}} for each part
    std::string_view style;
    std::string_view script;
    std::string_view chart_library; ///< Chart.js; empty if the build did not find it
};
const ReportAssets& report_assets();

} // namespace swirl::cli
