#include "cli/gpu_products.hpp"

#include <swirl/version.hpp>

#include "api/gpu.hpp"
#include "base/error.hpp"
#include "cli/gpu.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "emit/ptx.hpp"
#include "gemm/gpu_model.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/tile_writer.hpp"
#include "ir/kernel_info.hpp"
#include "ir/print.hpp"
#include "plan/gpu_kernel.hpp"
#include "problem/matrix_syntax.hpp"
#include "search/gpu_remembered.hpp"

#include <vector>

namespace swirl::cli {
namespace {

/// What code is to be for.
target::Gpu target_of(const PlanningOptions& options) {
    if (const auto number = number_of_gpu(options))
        return search::gpu_machine_of(api::device_numbered(*number)).gpu;
    return kind_of_gpu(options);
}

/// Of an execution that multiplies and does not read C.
constexpr Integer usual_parameters[] = {1, 0};

ir::KernelInfo info_of(const ir::Program& program, const target::Gpu& gpu) {
    ir::KernelInfo info = ir::describe(program, {}, 1, usual_parameters);
    info.dynamic_shared_bytes = emit::ptx_interface(program, planning::ptx_options(gpu)).dynamic_shared_bytes;
    return info;
}

/// A schedule and its kernels, to look at.
struct Inspection {
    target::Gpu gpu;
    gemm::GpuSchedule schedule;
    std::vector<ir::Program> programs;
};

Inspection inspect(const MatrixProduct& product, const PlanningOptions& options, const target::Gpu& gpu) {
    Inspection result{gpu, {}, {}};
    const auto likely = gemm::gpu_schedules(product, result.gpu, 1);
    if (options.recipe.empty() && likely.empty())
        throw UserError("{} has no kernels: nothing is to be computed", to_text(product));
    result.schedule = options.recipe.empty() ? likely.front() : gemm::parse_gpu_schedule(options.recipe);
    result.programs = gemm::gpu_product(product, result.schedule, result.gpu);
    return result;
}

Json json_of(const ir::KernelInfo& kernel) {
    return {{"kernel", kernel.name},
            {"blocks", kernel.launch.blocks},
            {"threads", kernel.launch.threads},
            {"cluster", kernel.launch.cluster},
            {"shared_bytes", kernel.shared_bytes},
            {"flops", kernel.flops},
            {"bytes_loaded", kernel.bytes_loaded},
            {"bytes_stored", kernel.bytes_stored}};
}

} // namespace

void report_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options, bool json) {
    const Inspection plan = inspect(product, options, target_of(options));
    const double flops = 2 * static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                         static_cast<double>(product.depth) * static_cast<double>(product.batch);
    const double seconds = gemm::gpu_seconds(product, plan.schedule, plan.gpu);
    Json report{{"problem", to_text(product)},          {"gpu", plan.gpu.name},
                {"schedule", to_string(plan.schedule)}, {"flops", flops},
                {"estimated_seconds", seconds},         {"kernels", Json::array()}};
    Table table({"kernel", "blocks", "threads", "cluster", "shared", "flops", "traffic"});
    for (const ir::Program& program : plan.programs) {
        const ir::KernelInfo kernel = info_of(program, plan.gpu);
        report["kernels"].push_back(json_of(kernel));
        table.add({kernel.name, std::to_string(kernel.launch.blocks[0]),
                   std::to_string(kernel.launch.threads[0]), std::to_string(kernel.launch.cluster),
                   format_bytes(static_cast<double>(kernel.shared_bytes)), std::to_string(kernel.flops),
                   format_bytes(static_cast<double>(kernel.bytes_loaded + kernel.bytes_stored))});
    }
    if (json) return print_json(report);
    print(fmt::format("problem    {}\nschedule   {}\n\n{}\nflops      {:.0f}\nestimate   {}\n",
                      to_text(product), to_string(plan.schedule), table.text(), flops,
                      format_seconds(seconds)));
}

void show_product_on_gpu(const MatrixProduct& product, const PlanningOptions& options,
                         const std::string& stage, bool full) {
    if (stage != "ir" && stage != "ptx")
        throw UserError("--stage is '{}'; for a product on a GPU use one of ir, ptx", stage);
    const Inspection plan = inspect(product, options, target_of(options));
    std::string text;
    for (const ir::Program& program : plan.programs) {
        text += text.empty() ? "" : "\n";
        text += stage == "ptx"
                    ? emit::ptx(program, planning::ptx_options(plan.gpu))
                    : ir::to_string(program, full ? ir::PrintStyle::full : ir::PrintStyle::compact);
    }
    print(text);
}

StandaloneGpu product_as_gpu_source(const MatrixProduct& product, const PlanningOptions& options,
                                    emit::GpuLanguage language, const std::string& function) {
    const Inspection plan = inspect(product, options, gpu_in(language, kind_of_gpu(options)));
    const ir::Scalar scalar = gemm::scalar_of(product.number);
    emit::GpuTransform transform{.name = function,
                                 .memories = {{.name = "a", .element = scalar},
                                              {.name = "b", .element = scalar},
                                              {.name = "c", .element = scalar, .written = true},
                                              {.name = "factors", .element = scalar, .by_value = true}},
                                 .steps = {}};
    const auto memory_named = [&](const std::string& name) {
        for (std::size_t m = 0; m < transform.memories.size(); ++m)
            if (transform.memories[m].name == name) return m;
        throw InternalError("a product's kernel has an argument '{}'", name);
    };
    for (const ir::Program& program : plan.programs) {
        emit::GpuTransform::Step step{&program, {}, {{3, 0}, {3, 1}}}; // by α and by β
        for (const ir::BufferInfo& buffer : program.buffers)
            if (buffer.space == ir::Space::argument) step.memories.push_back(memory_named(buffer.name));
        transform.steps.push_back(std::move(step));
    }
    const emit::GpuSourceOptions source{
        .language = language,
        .comment = fmt::format("{}\nThe factors are alpha and beta.\nschedule: {}\nGenerated by swirl {}.",
                               to_text(product), to_string(plan.schedule), version())};
    return {emit::emit_gpu(transform, source), emit::emit_gpu_header(transform, source)};
}

} // namespace swirl::cli
