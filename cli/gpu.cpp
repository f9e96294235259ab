#include "cli/gpu.hpp"

#include "base/error.hpp"
#include "cli/costs.hpp"
#include "cli/memory_need.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "cli/time_need.hpp"
#include "formula/print.hpp"
#include "plan/memory_need.hpp"
#include "problem/syntax.hpp"
#include "runtime/cuda/devices.hpp"
#include "search/candidates/gpu/pass_candidates.hpp"
#include "search/cost/gpu/estimate.hpp"
#include "search/cost/gpu/floors.hpp"
#include "search/planner.hpp"
#include "search/timer/cpu/timing.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace swirl::cli {
namespace {

constexpr std::string_view any_gpu = "gpu";

/// The index in "gpu" or "gpu:1"; nothing for other words.
std::optional<int> index_in(std::string_view device) {
    if (device == any_gpu) return 0;
    if (!device.starts_with("gpu:")) return std::nullopt;
    const std::string_view digits = device.substr(4);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return index;
}

[[noreturn]] void unknown_device(const PlanningOptions& options, std::string_view others) {
    throw UserError("--device is '{}'; use cpu, gpu, gpu:1 for the second of several{}", options.device,
                    others);
}

[[noreturn]] void refuse_to_measure(const PlanningOptions& options) {
    throw UserError(
        "{} times schedules on a GPU of this machine; --device {} is a kind of GPU, at hand or not\n"
        "  use --device gpu, or leave it out: what such a GPU has measured is taken from wisdom",
        options.measure ? "--measure" : "--exhaustive", options.device);
}

planning::Schedule schedule_of(const Transform& problem, const PlanningOptions& options) {
    if (!options.schedule.empty()) return planning::parse_schedule(options.schedule, problem);
    return search::choose_schedule(problem, gpu_target_of(options), options.plan_options());
}

Json json_of(const ir::KernelInfo& kernel) {
    return {{"kernel", kernel.name},
            {"blocks", kernel.launch.blocks},
            {"threads", kernel.launch.threads},
            {"transforms_per_block", kernel.transforms_per_block},
            {"factors", kernel.factors},
            {"shared_bytes", kernel.shared_bytes},
            {"registers", kernel.registers},
            {"spilled_bytes", kernel.spilled_bytes},
            {"resident_blocks", kernel.resident_blocks},
            {"workspace_bytes", kernel.workspace_bytes},
            {"table_bytes", kernel.table_bytes},
            {"flops", kernel.flops},
            {"bytes_loaded", kernel.bytes_loaded},
            {"bytes_stored", kernel.bytes_stored}};
}

std::string known(int count) { return count == 0 ? "-" : std::to_string(count); }

std::string text_of(const GpuInspection& plan) {
    Table table({"pass", "dimension", "tree", "blocks", "threads", "transforms", "shared", "registers",
                 "resident", "flops", "traffic"});
    for (std::size_t k = 0; k < plan.passes.size(); ++k)
        for (const ir::KernelInfo& kernel : plan.passes[k].kernels)
            table.add({std::to_string(k + 1), std::to_string(plan.passes[k].schedule.dimension),
                       rules::to_string(plan.passes[k].schedule.tree),
                       std::to_string(kernel.launch.blocks[0]), std::to_string(kernel.launch.threads[0]),
                       std::to_string(kernel.transforms_per_block),
                       format_bytes(static_cast<double>(kernel.shared_bytes)), known(kernel.registers),
                       known(kernel.resident_blocks), std::to_string(kernel.flops),
                       format_bytes(static_cast<double>(kernel.bytes_loaded + kernel.bytes_stored))});
    return table.text();
}

} // namespace

void require_gpu_options(const PlanningOptions& options) {
    const auto only_for_cpus = [](bool given, const char* option) {
        if (given) throw UserError("{} is for CPUs; leave it out with --device gpu", option);
    };
    only_for_cpus(!options.cpu.empty(), "--cpu");
    only_for_cpus(options.threads != 1, "--threads");
}

std::optional<int> index_of_gpu(const PlanningOptions& options) { return index_in(options.device); }

int require_index_of_gpu(const PlanningOptions& options) {
    const auto index = index_of_gpu(options);
    if (!index) unknown_device(options, "");
    return *index;
}

const target::Gpu& kind_of_gpu(const PlanningOptions& options) {
    for (const target::Gpu* gpu : target::gpus()) {
        if (gpu->name != options.device) continue;
        if (options.measure || options.exhaustive) refuse_to_measure(options);
        return *gpu;
    }
    unknown_device(options, ", or to inspect plans generic, sm_80 or sm_90");
}

search::GpuTarget gpu_target_of(const PlanningOptions& options) {
    if (const auto index = index_of_gpu(options)) return search::GpuTarget(runtime::device_numbered(*index));
    return search::GpuTarget(kind_of_gpu(options));
}

std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Transform& problem,
                                                       const PlanningOptions& options) {
    require_gpu_options(options);
    return search::make_plan<planning::GpuPlan>(
        problem, options.plan_options(Device::gpu(require_index_of_gpu(options))));
}

GpuInspection inspect_gpu_plan(const Transform& problem, const PlanningOptions& options) {
    require_gpu_options(options);
    GpuInspection result{schedule_of(problem, options), {}};
    result.passes = planning::describe_passes(problem, result.schedule);
    return result;
}

PlanCosts costs_on_gpu(const Transform& problem, const planning::Schedule& schedule, double flops,
                       const target::Gpu& gpu) {
    PlanCosts costs =
        costs_of(search::estimate(problem, gpu), schedule, search::gpu_pass_seconds(problem, schedule, gpu));
    costs.set_gpu_floors(search::gpu_floors(problem, flops, gpu), gpu);
    return costs;
}

void report_on_gpu(const Transform& problem, const PlanningOptions& options, bool json) {
    GpuInspection plan;
    planning::MemoryNeed memory;
    planning::PlanningWork work;
    std::string checked = "no, because nothing is built without its GPU";
    if (index_of_gpu(options)) { // compiled, so that register counts are known
        const auto built = make_gpu_plan(problem, options);
        plan = {built->schedule(), built->describe()};
        checked = built->checked();
        work = built->planning_work();
        memory = {.workspace = static_cast<Integer>(built->workspace_bytes()),
                  .tables = built->table_bytes()};
    } else {
        plan = inspect_gpu_plan(problem, options);
        for (const auto& pass : plan.passes)
            memory.workspace = std::max(memory.workspace, static_cast<Integer>(pass.workspace_bytes));
        memory.tables = planning::table_bytes(plan.passes);
        planning::require_within(options.memory_limit, memory, problem);
        work = planning::planning_work(problem, plan.schedule, plan.passes, !options.no_check);
    }
    double flops = 0, bytes = 0;
    for (const auto& pass : plan.passes)
        for (const ir::KernelInfo& kernel : pass.kernels) {
            flops += static_cast<double>(kernel.flops);
            bytes += static_cast<double>(kernel.bytes_loaded + kernel.bytes_stored);
        }
    const planning::TimeNeed time = time_of(work);
    const double data = search::compulsory_bytes(problem);
    const PlanCosts costs = costs_on_gpu(problem, plan.schedule, flops, gpu_target_of(options).identity.gpu);
    if (json) {
        Json kernels = Json::array();
        for (const auto& pass : plan.passes)
            for (const ir::KernelInfo& kernel : pass.kernels) kernels.push_back(json_of(kernel));
        Json report = {{"problem", to_text(problem)},
                       {"schedule", planning::to_string(plan.schedule)},
                       {"gpu", plan.schedule.target},
                       {"checked", checked},
                       {"kernels", std::move(kernels)},
                       {"flops", flops},
                       {"pseudo_flops", search::pseudo_flops(problem)},
                       {"bytes", bytes},
                       {"data_bytes", data}};
        add_memory(report, memory);
        add_time(report, time);
        add_costs(report, costs);
        return print_json(report);
    }
    std::string text = fmt::format("problem    {}\nschedule   {}\n\n{}\n", to_text(problem),
                                   planning::to_string(plan.schedule), text_of(plan));
    text += fmt::format("flops      {:.0f}, {:.2f} of 5 n log2 n\n", flops,
                        flops / search::pseudo_flops(problem));
    text += fmt::format("bytes      {} read and written by the kernels, {:.1f} times the data's {}\n",
                        format_bytes(bytes), bytes / data, format_bytes(data));
    print(text + memory_line(memory) + time_line(time) + "checked    " + checked + "\n" + text_of(costs));
}

} // namespace swirl::cli
