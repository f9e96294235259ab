#include "bench/cpu_transforms/against_measure.hpp"

#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace swirl::bench {

namespace {

constexpr double worth_a_look = 1.1;

} // namespace

AgainstMeasure against_measure(const std::vector<Result>& results) {
    AgainstMeasure comparison;
    double logarithms = 0;
    for (const Result& result : results)
        for (const Row& row : result.rows)
            if (const Entry* const measured = entry_of(row, measured_name)) {
                comparison.losses.push_back(
                    {row.problem, 1 / measured->ratio, row.entries[0].made_by, measured->made_by});
                logarithms -= std::log(measured->ratio);
            }
    if (comparison.losses.empty()) return comparison;
    comparison.geometric_mean = std::exp(logarithms / static_cast<double>(comparison.losses.size()));
    std::stable_sort(comparison.losses.begin(), comparison.losses.end(),
                     [](const auto& a, const auto& b) { return a.ratio > b.ratio; });
    return comparison;
}

std::string to_text(const AgainstMeasure& comparison) {
    cli::Table table({"problem", "estimate / measured", "estimate took", "measuring found"});
    for (const auto& loss : comparison.losses) {
        const bool shown = loss.ratio > worth_a_look;
        table.add({swirl::to_text(loss.problem), fmt::format("{:.3f}", loss.ratio),
                   shown ? loss.estimated : "", shown ? loss.measured : ""});
    }
    return table.text() + fmt::format(
                              "\nThe estimate's plans take {:.3f} times as long as measured ones: geometric "
                              "mean of {} problems\n",
                              comparison.geometric_mean, comparison.losses.size());
}

cli::Json to_json(const AgainstMeasure& comparison) {
    cli::Json problems = cli::Json::array();
    for (const auto& loss : comparison.losses)
        problems.push_back({{"problem", swirl::to_text(loss.problem)},
                            {"ratio", loss.ratio},
                            {"estimated", loss.estimated},
                            {"measured", loss.measured}});
    return {{"geometric_mean", comparison.geometric_mean}, {"problems", std::move(problems)}};
}

} // namespace swirl::bench
