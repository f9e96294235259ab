#include "cli/gpu_products.hpp"

#include <swirl/version.hpp>

#include <swirl/matrix_product.hpp>
#include "base/error.hpp"
#include "cli/costs.hpp"
#include "cli/gpu.hpp"
#include "cli/memory_need.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "cli/time_need.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "ir/kernel_info.hpp"
#include "ir/print.hpp"
#include "ir/program.hpp"
#include "ir/role.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "plan/memory_need.hpp"
#include "runtime/cuda/devices.hpp"
#include "search/candidates/gpu/gemm.hpp"
#include "search/cost/gpu/floors.hpp"
#include "search/planner.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace swirl::cli {
namespace {

/// Derives the main GEMM kernel, and the kernels after it.
void derive(const MatrixProduct& product, GpuGemmInspection& plan) {
    std::vector<planning::GpuMatrixDerivation> all =
        planning::derive_gemm_for_gpu(product, plan.schedule, plan.gpu);
    const std::size_t multiplying = planning::main_kernel(plan.schedule, all.size());
    plan.derived = std::move(all[multiplying]);
    plan.finishing.clear();
    for (std::size_t k = multiplying + 1; k < all.size(); ++k) plan.finishing.push_back(std::move(all[k]));
    plan.reductions = planning::derive_reductions_for_gpu(product, plan.schedule, plan.gpu);
}

std::string text_of_schedule(const GpuGemmInspection& plan) {
    return to_string(planning::Schedule(plan.gpu.name, plan.schedule));
}

Options gemm_options(const PlanningOptions& options, Device device = {}) {
    Options result = options.plan_options(device);
    result.cpu.clear();
    result.accuracy = accuracy_of(options);
    return result;
}

GpuGemmInspection inspect(const MatrixProduct& product, const PlanningOptions& options,
                          const search::GpuTarget& target) {
    if (is_empty(product)) throw UserError("{} needs no kernels: C is empty", to_text(product));
    GpuGemmInspection result{.gpu = target.identity.gpu,
                             .schedule = {},
                             .choice = search::explained_choice(product, target, gemm_options(options))};
    result.schedule = result.choice.schedule.gpu_gemm();
    if (options.reorder_sass) { // of a given schedule, too
        result.not_reordered_because =
            search::sass_reordering_infeasibility(result.schedule, product, result.gpu).value_or("");
        if (const auto other = search::with_sass_reordering(result.schedule, product, result.gpu))
            result.schedule = *other;
    }
    derive(product, result);
    result.work = planning::planning_work(product, 1 + result.finishing.size() + result.reductions.size(),
                                          !options.no_check);
    return result;
}

/// A plan of this host's GPU, compiled, so that register counts are known.
GpuGemmInspection inspect_plan(const MatrixProduct& product, const PlanningOptions& options,
                               const planning::GpuMatrixPlan& plan) {
    Options explained = gemm_options(options);
    explained.schedule = to_string(plan.schedule());
    GpuGemmInspection result{
        .gpu = plan.device().target(),
        .schedule = plan.schedule().gpu_gemm(),
        .choice = search::explained_choice(product, search::GpuTarget(plan.device()), explained)};
    derive(product, result);
    result.work = plan.planning_work();
    if (plan.kernel() != nullptr) result.derived.info = plan.kernel()->info();
    return result;
}

/// Rasterization groups that divide C, so that each block has a tile: PoCL 3.1 computes wrong results with barriers in
/// conditional code.
gemm::GpuGemmSchedule without_idle_blocks(const gemm::GpuGemmSchedule& schedule,
                                          const MatrixProduct& product) {
    const Integer rows = gemm::canonical_for_gpu(product).product.rows;
    return std::visit(
        [&](auto kernel) -> gemm::GpuGemmSchedule {
            if constexpr (std::is_same_v<decltype(kernel), gemm::BatchedGemm>) {
                return kernel;
            } else {
                const Integer blocks = ceil_divide(rows, Integer{kernel.cta_tile.m});
                while (blocks % std::min<Integer>(kernel.raster_group, blocks) != 0) --kernel.raster_group;
                return kernel;
            }
        },
        schedule);
}

Json json_of_kernel(const ir::KernelInfo& kernel) {
    return {{"kernel", kernel.name},
            {"blocks", kernel.launch.blocks},
            {"threads", kernel.launch.threads},
            {"cluster", kernel.launch.cluster},
            {"shared_bytes", kernel.shared_bytes},
            {"registers", kernel.registers},
            {"spilled_bytes", kernel.spilled_bytes},
            {"resident_blocks", kernel.resident_blocks},
            {"flops", kernel.flops},
            {"bytes_loaded", kernel.bytes_loaded},
            {"bytes_stored", kernel.bytes_stored}};
}

void report_nothing(const MatrixProduct& product, bool json) {
    if (json) return print_json({{"problem", to_text(product)}, {"flops", 0}, {"kernels", Json::array()}});
    print(fmt::format("problem    {}\nplan       nothing is to be computed\n", to_text(product)));
}

} // namespace

swirl::Accuracy accuracy_of(const PlanningOptions& options) {
    constexpr std::pair<std::string_view, swirl::Accuracy> names[] = {
        {"ordinary", swirl::Accuracy::ordinary},
        {"ordinary-in-range", swirl::Accuracy::ordinary_in_range},
        {"reduced", swirl::Accuracy::reduced},
        {"eleven-bits", swirl::Accuracy::eleven_bits},
        {"low", swirl::Accuracy::low}};
    for (const auto& [name, accuracy] : names)
        if (name == options.gemm_accuracy) return accuracy;
    throw UserError(
        "--gemm-accuracy is '{}'; use one of ordinary, ordinary-in-range, reduced, eleven-bits, low",
        options.gemm_accuracy);
}

bool is_empty(const MatrixProduct& product) {
    return product.rows == 0 || product.columns == 0 || product.batch == 0;
}

double flops_of(const MatrixProduct& product) {
    return (is_complex(product.data_type) ? 8 : 2) * static_cast<double>(product.rows) *
           static_cast<double>(product.columns) * static_cast<double>(product.k) *
           static_cast<double>(product.batch);
}

std::shared_ptr<const planning::GpuMatrixPlan> make_plan_on_gpu(const MatrixProduct& product,
                                                                const PlanningOptions& options) {
    return search::make_plan<planning::GpuMatrixPlan>(
        product, gemm_options(options, Device::gpu(require_index_of_gpu(options))));
}

GpuGemmInspection inspect_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options) {
    if (!index_of_gpu(options) || is_empty(product)) return inspect(product, options, gpu_target_of(options));
    return inspect_plan(product, options, *make_plan_on_gpu(product, options));
}

PlanCosts costs_of(const MatrixProduct& product, const GpuGemmInspection& plan) {
    PlanCosts costs{.estimated = text_of_schedule(plan),
                    .seconds = plan.choice.estimated_seconds,
                    .rejections = plan.choice.rejections};
    costs.set_gpu_floors(search::gpu_floors(product, plan.schedule, plan.gpu), plan.gpu);
    return costs;
}

void report_gemm_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json) {
    if (is_empty(product)) return report_nothing(product, json);
    const GpuGemmInspection plan = inspect_gemm_on_gpu(product, options);
    planning::MemoryNeed memory;
    std::vector<const planning::GpuMatrixDerivation*> derived = {&plan.derived};
    for (const auto* behind : {&plan.finishing, &plan.reductions})
        for (const planning::GpuMatrixDerivation& kernel : *behind) derived.push_back(&kernel);
    memory.workspace = static_cast<Integer>(planning::workspace_bytes(derived));
    std::vector<const ir::KernelInfo*> kernels;
    for (const planning::GpuMatrixDerivation* kernel : derived) kernels.push_back(&kernel->info);
    Json described = Json::array();
    for (const ir::KernelInfo* kernel : kernels) {
        described.push_back(json_of_kernel(*kernel));
        memory.tables += kernel->table_bytes;
    }
    planning::require_within(options.memory_limit, memory, product);
    const PlanCosts costs = costs_of(product, plan);
    const planning::TimeNeed time = time_of(plan.work);
    if (json) {
        Json report = {{"problem", to_text(product)},
                       {"gpu", plan.gpu.name},
                       {"schedule", text_of_schedule(plan)},
                       {"flops", flops_of(product)},
                       {"kernels", described}};
        add_memory(report, memory);
        add_time(report, time);
        add_costs(report, costs);
        return print_json(report);
    }
    Table table(
        {"kernel", "blocks", "threads", "cluster", "shared", "registers", "resident", "flops", "traffic"});
    const auto known = [](int count) { return count == 0 ? "-" : std::to_string(count); };
    for (const ir::KernelInfo* kernel : kernels)
        table.add({kernel->name, std::to_string(kernel->launch.blocks[0]),
                   std::to_string(kernel->launch.threads[0]), std::to_string(kernel->launch.cluster),
                   format_bytes(static_cast<double>(kernel->shared_bytes)), known(kernel->registers),
                   known(kernel->resident_blocks), std::to_string(kernel->flops),
                   format_bytes(static_cast<double>(kernel->bytes_loaded + kernel->bytes_stored))});
    print(fmt::format("problem    {}\nschedule   {}\n\n{}\nflops      {:.0f}\n", to_text(product),
                      text_of_schedule(plan), table.text(), flops_of(product)) +
          memory_line(memory) + time_line(time) + text_of(costs));
}

KernelTexts gpu_kernels_at_stage(const MatrixProduct& product, const PlanningOptions& options,
                                 const std::string& stage, bool full) {
    if (stage != "ir" && stage != "ptx")
        throw UserError("--stage is '{}'; for matrix multiplication on a GPU use one of ir, ptx", stage);
    const GpuGemmInspection plan = inspect(product, options, gpu_target_of(options));
    KernelTexts result{text_of_schedule(plan), std::string(plan.gpu.name), {}};
    const auto add = [&](const planning::GpuMatrixDerivation& derived) {
        result.kernels.push_back(
            {derived.info.name,
             stage == "ptx"
                 ? derived.ptx
                 : ir::to_string(derived.program, full ? ir::PrintStyle::full : ir::PrintStyle::compact)});
    };
    add(plan.derived);
    for (const auto* behind : {&plan.finishing, &plan.reductions})
        for (const planning::GpuMatrixDerivation& derived : *behind) add(derived);
    return result;
}

namespace {

/// The memories of a product: A, B, C, α and β, the epilogue's arrays, the reductions' results.
class Memories {
public:
    explicit Memories(const MatrixProduct& product) {
        using enum ir::ArgumentRole;
        using gemm::scalar_of;
        const DataType of_arrays = scalar_of(epilogue_type(product));
        add({a}, {.name = "a", .element = scalar_of(product.type_of_a())});
        add({b}, {.name = "b", .element = scalar_of(product.type_of_b())});
        add({c}, {.name = "c", .element = scalar_of(product.type_of_c()), .written = true});
        add({alpha_beta}, {.name = "alpha_beta", .element = scalar_of(product.data_type), .by_value = true});
        int index = 0;
        for (const AuxiliaryArray& array : arrays_of(product))
            add({auxiliary, index++}, {.name = array.name, .element = of_arrays});
        index = 0;
        for (const AuxiliaryArray& array : results_of(product))
            add({reduction, index++}, {.name = array.name, .element = of_arrays, .written = true});
    }

    const std::vector<emit::GpuTransform::Memory>& all() const { return memories_; }
    std::size_t with(const ir::Role& role) const {
        const auto found = std::find(roles_.begin(), roles_.end(), role);
        ensure(found != roles_.end(), "a product's kernel has an argument in the role '{}'",
               ir::to_string(role));
        return static_cast<std::size_t>(found - roles_.begin());
    }

private:
    void add(const ir::Role& role, emit::GpuTransform::Memory memory) {
        roles_.push_back(role);
        memories_.push_back(std::move(memory));
    }

    std::vector<ir::Role> roles_;
    std::vector<emit::GpuTransform::Memory> memories_;
};

/// Workspace of the same name passes data from one kernel to another.
void add_launch(emit::GpuTransform& transform, const Memories& memories, const ir::Program& program,
                std::vector<emit::GpuTransform::Flag> flags) {
    emit::GpuTransform::KernelLaunch kernel_launch{&program, {}, std::move(flags)};
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::argument) kernel_launch.memories.push_back(memories.with(buffer.role));
    transform.launches.push_back(std::move(kernel_launch));
}

} // namespace

StandaloneGpu gemm_as_gpu_source(const MatrixProduct& product, const PlanningOptions& options,
                                 emit::GpuLanguage language, const std::string& function) {
    if (is_complex(product.data_type))
        throw UserError("{} is complex, and complex kernels are PTX alone\n  swirl show --stage ptx",
                        to_text(product));
    if (product.listed)
        throw UserError("{} has lists of pointers, whose kernels are PTX alone\n  swirl show --stage ptx",
                        to_text(product));
    GpuGemmInspection plan =
        inspect(product, options, search::GpuTarget(gpu_in(language, kind_of_gpu(options))));
    if (language == emit::GpuLanguage::opencl) {
        plan.schedule = without_idle_blocks(plan.schedule, product);
        derive(product, plan);
    }
    const Memories memories(product);
    emit::GpuTransform transform{.name = function, .memories = memories.all(), .launches = {}};
    const std::size_t alpha_beta = memories.with({ir::ArgumentRole::alpha_beta});
    const std::vector<emit::GpuTransform::Flag> scalar_conditions = {{alpha_beta, 0},
                                                                     {alpha_beta, 1}}; // on alpha and on beta
    add_launch(transform, memories, plan.derived.program, scalar_conditions);
    for (const planning::GpuMatrixDerivation& finishing : plan.finishing) {
        transform.launches.front().condition = scalar_conditions.front(); // if alpha is 0 the last does all
        add_launch(transform, memories, finishing.program, scalar_conditions);
    }
    for (const planning::GpuMatrixDerivation& reduction : plan.reductions)
        add_launch(transform, memories, reduction.program, {});
    const emit::GpuSourceOptions source{
        .language = language,
        .comment = fmt::format("{}\nalpha_beta is alpha, then beta{}.\nschedule: {}\nGenerated by swirl {}.",
                               to_text(product), product.converts() ? ", which has to be 0" : "",
                               text_of_schedule(plan), version())};
    return {emit::emit_gpu(transform, source), emit::emit_gpu_header(transform, source)};
}

} // namespace swirl::cli
