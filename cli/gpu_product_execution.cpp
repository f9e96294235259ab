#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/gpu_product_data.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "problem/syntax.hpp"
#include "search/timer/gpu/gemm_runs.hpp"
#include "search/timer/gpu/interleaved_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Products that are executed on a GPU: compared with the definition, or timed.
namespace swirl::cli {
namespace {

/// So many sets of operands that together they are several times the GPU's largest cache, unless the GEMM is very
/// small.
std::deque<GpuGemmData> sets_of(const runtime::GpuDevice& device, const ProductData& data) {
    constexpr std::size_t max_sets = 64;
    std::deque<GpuGemmData> sets;
    sets.emplace_back(device, data);
    const std::size_t bytes = sets.front().bytes();
    const auto cache = static_cast<std::size_t>(device.attribute(runtime::cuda::DeviceAttribute::l2_bytes));
    const std::size_t max_free_sets = device.memory().free / 2 / bytes + 1;
    const std::size_t count = std::min({4 * cache / bytes + 1, max_free_sets, max_sets});
    while (sets.size() < count) sets.emplace_back(device, data);
    return sets;
}

/// For data types that ProductData does not support.
double seconds_of_any(const planning::GpuMatrixPlan& plan, const PlanningOptions& options) {
    search::GpuGemmRuns runs(plan.device(), plan.product(), !options.no_cache);
    const gemm::GpuGemmSchedule schedule = plan.schedule().gpu_gemm();
    return runs.seconds(std::span(&schedule, 1)).front();
}

} // namespace

std::string compare_on_gpu(const MatrixProduct& product, const PlanningOptions& options) {
    if (options.no_check)
        throw UserError("--no-check is given, but {} is verified by its plan's check; leave it out",
                        to_text(product));
    PlanningOptions anew = options;
    anew.no_cache = true; // skip the cache: its entries would not be compared again
    return to_string(make_plan_on_gpu(product, anew)->schedule());
}

void execute_on_gpu(const MatrixProduct& product, const PlanningOptions& options, const ProductData& data) {
    const auto plan = make_plan_on_gpu(product, options);
    const GpuGemmData there(plan->device(), data);
    there.execute(*plan);
    there.copy_back();
}

void bench_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                       const ProductTiming& timing) {
    const auto plan = make_plan_on_gpu(product, options);
    const runtime::GpuDevice& device = plan->device();
    if (!ProductData::supports(product)) {
        const double seconds = seconds_of_any(*plan, options), rate = plan->flops() / seconds * 1e-9;
        if (timing.output.take({{"problem", to_text(product)},
                                {"device", device.description()},
                                {"schedule", to_string(plan->schedule())},
                                {"median_seconds", seconds},
                                {"gflops", rate}}))
            return;
        return print(fmt::format("{}: {}, {:.0f} Gflop/s, by {}\n{}\n", to_text(product),
                                 format_seconds(seconds), rate, to_string(plan->schedule()),
                                 device.description()));
    }
    const ProductData data(product, timing.seed, 1, 0);
    const std::deque<GpuGemmData> sets = sets_of(device, data);
    const runtime::GpuStream stream(device);
    const search::GpuWork work{
        [&](std::size_t execution) { sets[execution % sets.size()].execute(*plan, stream.handle()); }};
    const search::InterleavedTimes times =
        search::time_interleaved(stream, std::span(&work, 1), {.seconds = timing.seconds}).front();
    if (!times.failed_because.empty()) throw UserError("{}: {}", to_text(product), times.failed_because);
    const double rate = plan->flops() / times.time.median * 1e-9;
    if (timing.output.take({{"problem", to_text(product)},
                            {"device", device.description()},
                            {"schedule", to_string(plan->schedule())},
                            {"median_seconds", times.time.median},
                            {"minimum_seconds", times.time.minimum},
                            {"spread", times.time.spread},
                            {"gflops", rate}}))
        return;
    Table table({"problem", "median", "minimum", "spread", "Gflop/s", "schedule"});
    table.add({to_text(product), format_seconds(times.time.median), format_seconds(times.time.minimum),
               format_percent(times.time.spread), fmt::format("{:.0f}", rate), to_string(plan->schedule())});
    print(table.text() +
          fmt::format("{}. Executions one after the other in a stream, by the GPU's clock, around matrices "
                      "beyond its caches; beta is 0.\n",
                      device.description()));
}

} // namespace swirl::cli
