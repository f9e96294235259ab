#include "base/error.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "problem/syntax.hpp"
#include "search/timer/cpu/timing.hpp"
#include "search/timer/gpu/timing.hpp"

namespace swirl::cli {
namespace {

struct GpuResult {
    std::string problem;
    std::string schedule;
    runtime::Measurement time;
    double bytes_per_second;        ///< of the data, read once and written once
    double pseudo_flops_per_second; ///< 5 n log2 n
};

GpuResult measured(const Transform& problem, const planning::GpuPlan& plan, double seconds) {
    const runtime::Measurement time = search::time_on_gpu(plan, {.budget = seconds});
    return {to_text(problem), planning::to_string(plan.schedule()), time,
            search::compulsory_bytes(problem) / time.median, search::pseudo_flops(problem) / time.median};
}

Json json_of(const GpuResult& result, double copy) {
    return {{"problem", result.problem},
            {"schedule", result.schedule},
            {"median_seconds", result.time.median},
            {"minimum_seconds", result.time.minimum},
            {"spread", result.time.spread},
            {"samples", result.time.samples},
            {"repetitions", result.time.repetitions},
            {"bytes_per_second", result.bytes_per_second},
            {"of_copy", result.bytes_per_second / copy},
            {"pseudo_gflops", result.pseudo_flops_per_second * 1e-9}};
}

} // namespace

void bench_on_gpu(const std::vector<Transform>& problems, const PlanningOptions& options,
                  const GpuBenchOptions& bench) {
    Table table({"problem", "median", "minimum", "spread", "GB/s", "of copy", "pGflop/s", "schedule"});
    Json results = Json::array();
    std::string device;
    double copy = 0;
    ListProgress progress("timing", problems.size());
    for (const Transform& problem : problems) {
        if (!progress.begin(to_text(problem))) break;
        const auto plan = make_gpu_plan(problem, options);
        if (copy == 0) {
            copy = search::copy_bandwidth(plan->device());
            device = plan->device().description();
        }
        const GpuResult result = measured(problem, *plan, bench.seconds);
        results.push_back(json_of(result, copy));
        table.add({result.problem, format_seconds(result.time.median), format_seconds(result.time.minimum),
                   format_percent(result.time.spread), fmt::format("{:.0f}", result.bytes_per_second * 1e-9),
                   format_percent(result.bytes_per_second / copy),
                   fmt::format("{:.0f}", result.pseudo_flops_per_second * 1e-9), result.schedule});
    }
    progress.clear();
    if (bench.output.take(
            {{"device", device}, {"copy_bytes_per_second", copy}, {"results", std::move(results)}}))
        return;
    print(table.text() +
          fmt::format(
              "{}. GB/s counts the data, read once and written once; a copy by the driver reads and "
              "writes {:.0f} GB/s.\n"
              "Executions one after the other in a stream, by the GPU's clock, around arrays beyond its "
              "caches.\n",
              device, copy * 1e-9));
}

} // namespace swirl::cli
