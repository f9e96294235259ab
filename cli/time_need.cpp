#include "cli/time_need.hpp"

#include "cli/table.hpp"

#include <fmt/format.h>

namespace swirl::cli {

std::string time_line(const planning::TimeNeed& time) {
    return fmt::format("planning   {} predicted: code {}, tables {}, check {}\n",
                       format_seconds(planning::total(time)), format_seconds(time.code),
                       format_seconds(time.tables), format_seconds(time.check));
}

void add_time(Json& report, const planning::TimeNeed& time) {
    report["predicted_planning_seconds"] = {{"code", time.code},
                                            {"tables", time.tables},
                                            {"check", time.check},
                                            {"total", planning::total(time)}};
}

} // namespace swirl::cli
