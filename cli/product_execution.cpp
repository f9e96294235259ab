#include <swirl/matrix_product.hpp>
#include "cli/command.hpp"
#include "cli/floors.hpp"
#include "cli/gpu_products.hpp"
#include "cli/output.hpp"
#include "cli/product_data.hpp"
#include "cli/products.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "peers/matrix_peer.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "runtime/cpu/affinity.hpp"
#include "search/timer/cpu/timing.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Products that are executed: compared with the definition, or timed.
namespace swirl::cli {

void verify_product(const MatrixProduct& product, const PlanningOptions& options, std::uint32_t seed,
                    double tolerance, bool json) {
    if (options.is_for_gpu() &&
        (!ProductData::supports(product) || accuracy_of(options) > swirl::Accuracy::ordinary_in_range)) {
        const std::string schedule = compare_on_gpu(product, options);
        if (json) return print_json({{"problem", to_text(product)}, {"schedule", schedule}, {"ok", true}});
        return print(fmt::format("{}: compared with the definition on the GPU, by {}: ok\n", to_text(product),
                                 schedule));
    }
    const ProductData data(product, seed, 0.5, -1);
    if (options.is_for_gpu())
        execute_on_gpu(product, options, data);
    else
        data.execute(*make_matrix_plan(product, options));
    const double error = data.error();
    const bool is_right = error <= tolerance; // false for NaN
    if (json)
        print_json({{"problem", to_text(product)},
                    {"unit", "epsilon * (K + 4) * sum of absolute values"},
                    {"error", error},
                    {"ok", is_right}});
    else
        print(fmt::format("{}: error {:.3f} of {} units of epsilon*(K+4) in the sum of absolute values: {}\n",
                          to_text(product), error, tolerance, is_right ? "ok" : "WRONG"));
    if (!is_right) throw ExitStatus{exit_failure};
}

void bench_product(const MatrixProduct& product, const PlanningOptions& options,
                   const ProductTiming& timing) {
    if (options.is_for_gpu()) return bench_gemm_on_gpu(product, options, timing);
    const ProductData data(product, timing.seed, 1, 0);
    const auto planned_product = make_matrix_plan(product, options);
    const planning::MatrixPlan& plan = *planned_product;
    std::vector<std::string> names = {"swirl"};
    std::vector<runtime::TimedWork> works = {{.run = [&] { data.execute(plan); }, .restore = {}}};
    std::string absent;
    const std::optional<peers::MatrixCall> call = peers::call_of(product);
    for (const peers::MatrixPeer* peer : peers::parse_matrix_peers("--peers", timing.peers)) {
        peers::MatrixPlan other =
            call ? peer->plan(*call, plan.threads())
                 : peers::MatrixPlan{.absent_because = "has no such product in one call"};
        if (!other.run) {
            absent += fmt::format("{}: {}\n", peer->title, other.absent_because);
            continue;
        }
        names.emplace_back(peer->title);
        works.push_back({.run =
                             [&data, run = std::move(other.run)] {
                                 const peers::MatrixOperands operands{data.a(), data.b(), data.c()};
                                 run({&operands, 1}, 1);
                             },
                         .restore = {}});
    }
    std::optional<runtime::PinnedThread> pinned;
    if (plan.threads() == 1) pinned.emplace();
    runtime::TimingOptions budget;
    budget.budget = timing.seconds / static_cast<double>(works.size());
    ListProgress progress("timing", 1);
    progress.begin(to_text(product));
    const auto times = search::measure_interleaved(works, budget, {}, progress.enough_after(timing.seconds));
    progress.clear();
    Table table({"library", "median", "minimum", "spread", "Gflop/s", "time/swirl"});
    Json results{{"problem", to_text(product)},
                 {"plan", plan.description()},
                 {"schedule", planning::to_string(plan.schedule())},
                 {"entries", Json::array()}};
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double rate = plan.flops() / times[k].median * 1e-9;
        table.add({names[k], format_seconds(times[k].median), format_seconds(times[k].minimum),
                   format_percent(times[k].spread), fmt::format("{:.1f}", rate),
                   fmt::format("{:.2f}", times[k].median / times[0].median)});
        results["entries"].push_back({{"name", names[k]},
                                      {"median_seconds", times[k].median},
                                      {"minimum_seconds", times[k].minimum},
                                      {"gflops", rate}});
    }
    if (!timing.output.plot.empty()) results["floors"] = json_of_floors(floors_of(product, plan.flops()));
    if (timing.output.take(results)) return;
    print(fmt::format("{}\n{}\n\n{}{}", to_text(product), plan.description(), table.text(), absent));
}

} // namespace swirl::cli
