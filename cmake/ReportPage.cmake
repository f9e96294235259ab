# The page of `swirl report` (cli/report/page) and the chart library become text in the program's read-only data:
# generated/report_assets.cpp defines report_assets() (cli/report/assets.hpp).

# Chart.js 3 (MIT). Without it the page has tables only.
find_file(SWIRL_CHART_JS NAMES chart.min.js DOC "Chart.js as one file; Debian: libjs-chart.js"
    PATHS /usr/share/javascript/chart.js /usr/share/javascript)
if(NOT SWIRL_CHART_JS)
    message(STATUS "'swirl report' makes pages with tables only: Chart.js was not found (Debian: libjs-chart.js)")
endif()

function(swirl_report_text variable)
    set(all "")
    foreach(file IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} text)
        if(text MATCHES "</script|\\)report\"")
            message(FATAL_ERROR "${file} contains </script or )report\", and cannot be part of a page")
        endif()
        string(APPEND all "${text}")
    endforeach()
    set(${variable} "${all}" PARENT_SCOPE)
endfunction()

set(report_page ${PROJECT_SOURCE_DIR}/cli/report/page)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${report_page}/page.html)
file(READ ${report_page}/page.html report_html)
swirl_report_text(report_style ${report_page}/style.css)
set(report_scripts data.js format.js chart.js detail.js views.js table.js main.js)
list(TRANSFORM report_scripts PREPEND ${report_page}/)
swirl_report_text(report_script ${report_scripts})
set(report_chart_library "")
if(SWIRL_CHART_JS)
    swirl_report_text(report_chart_library ${SWIRL_CHART_JS})
endif()

set(SWIRL_REPORT_SOURCE ${PROJECT_BINARY_DIR}/generated/report_assets.cpp)
file(CONFIGURE OUTPUT ${SWIRL_REPORT_SOURCE} CONTENT [[
#include "cli/report/assets.hpp"

namespace swirl::cli {

const ReportAssets& report_assets() {
    static constexpr ReportAssets assets{
        .page = R"report(@report_html@)report",
        .style = R"report(@report_style@)report",
        .script = R"report(@report_script@)report",
        .chart_library = R"report(@report_chart_library@)report",
    };
    return assets;
}

} // namespace swirl::cli
]] @ONLY)
# Compilers need not take literals as long as these, but all that build swirl do.
set_source_files_properties(${SWIRL_REPORT_SOURCE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS -Wno-overlength-strings)
