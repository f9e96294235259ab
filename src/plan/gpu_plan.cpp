#include "plan/gpu_plan.hpp"

#include "base/error.hpp"
#include "plan/check.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/gpu_problem_data.hpp"
#include "plan/steps.hpp"
#include "problem/syntax.hpp"
#include "problem/validate.hpp"
#include "runtime/cuda_compile.hpp"

#include <algorithm>
#include <optional>

namespace swirl::planning {

namespace {

constexpr std::size_t intermediate_alignment = 256;

std::vector<Stage> gpu_stages(const Problem& problem, const Recipe& recipe) {
    validate(problem);
    if (recipe.scalar)
        throw UserError("recipe \"{}\": 'scalar' is for CPUs; a GPU's threads work on scalars anyway",
                        to_string(recipe));
    std::vector<Stage> result = stages(problem, Fusion::none);
    require_steps_for(recipe, result);
    return result;
}

/// Throws UserError where the device is none for code of this entry.
void require_runs(const target::Gpu& gpu, const runtime::GpuDevice& device) {
    const runtime::GpuFacts& facts = device.facts();
    if (std::pair(facts.capability_major, facts.capability_minor) <
        std::pair(gpu.capability_major, gpu.capability_minor))
        throw UserError("the recipe is for {}, which {} of compute capability {}.{} is not; it runs {}",
                        gpu.name, device.description(), facts.capability_major, facts.capability_minor,
                        device.target().name);
    if (device.driver().version() < gpu.driver_version)
        device.driver().too_old_for(fmt::format("code for {}", gpu.name), gpu.driver_version);
}

} // namespace

struct GpuPlan::State {
    State(const Problem& p, const Recipe& r, const runtime::GpuDevice& d, const target::Gpu& g)
        : problem(p), recipe(r), device(d), gpu(g) {}

    Problem problem;
    Recipe recipe;
    runtime::GpuDevice device;
    const target::Gpu& gpu;
    std::vector<LaunchedKernel> kernels;
    std::optional<runtime::GpuBuffer> tables;
    std::optional<GpuArgumentCheck> check;
    /// The workspace: the intermediate, then what each step's kernels hand on, over that of the other steps.
    std::size_t workspace_bytes = 0;

    void derive(runtime::KernelCache* cache) {
        const std::vector<Stage> parts = gpu_stages(problem, recipe);
        const std::size_t between = ceil_divide(static_cast<Integer>(intermediate_bytes(problem)),
                                                static_cast<Integer>(intermediate_alignment)) *
                                    intermediate_alignment;
        TableImage image;
        std::vector<runtime::KernelText> texts;
        workspace_bytes = between;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const GpuDerivation derivation = derive_for_gpu(problem, parts[k], recipe.steps[k], gpu);
            const StepWorkspace workspace(derivation.programs);
            workspace_bytes = std::max(workspace_bytes, between + workspace.bytes());
            for (std::size_t i = 0; i < derivation.programs.size(); ++i) {
                const ir::Program& program = derivation.programs[i];
                kernels.emplace_back(program, parts[k], gpu,
                                     describe_for_gpu(program, recipe.steps[k], i, gpu), workspace, between,
                                     image);
                texts.push_back({.ptx = emit::ptx(program, ptx_options(gpu)),
                                 .name = fmt::format("{}: {}", to_text(problem), program.name)});
            }
        }
        load(runtime::compiled(device, texts, cache));
        upload(image);
        std::array<std::size_t, 4> alignments{};
        for (std::size_t source = 0; source < alignments.size(); ++source)
            for (const LaunchedKernel& kernel : kernels)
                alignments[source] =
                    std::max(alignments[source], kernel.alignment_of(static_cast<Binding::Source>(source)));
        check.emplace(problem, alignments, workspace_bytes);
    }

    void launch(const Arguments& arguments, runtime::cuda::Address workspace,
                const runtime::GpuStream& stream) const {
        const auto address = [](const void* pointer) {
            return reinterpret_cast<runtime::cuda::Address>(pointer);
        };
        GpuAddresses addresses{};
        const auto at = [&](Binding::Source source) -> runtime::cuda::Address& {
            return addresses[static_cast<std::size_t>(source)];
        };
        at(Binding::Source::input) = address(arguments.input);
        at(Binding::Source::input_imaginary) = address(arguments.input_imaginary);
        at(Binding::Source::output) = address(arguments.output);
        at(Binding::Source::output_imaginary) = address(arguments.output_imaginary);
        at(Binding::Source::intermediate) = workspace;
        at(Binding::Source::workspace) = workspace;
        at(Binding::Source::table) = tables->address();
        for (const LaunchedKernel& kernel : kernels) kernel.launch(addresses, stream);
    }

private:
    void load(const std::vector<runtime::GpuModule>& modules) {
        for (std::size_t k = 0; k < kernels.size(); ++k) kernels[k].load(modules[k]);
    }

    void upload(const TableImage& image) {
        tables.emplace(device, image.bytes().size());
        if (image.bytes().empty()) return;
        runtime::copy_to_gpu(device, tables->address(), image.bytes().data(), image.bytes().size());
        device.synchronize(); // the last bytes of a small copy may still be on their way
    }
};

std::vector<GpuStepDescription> describe_steps(const Problem& problem, const Recipe& recipe) {
    const target::Gpu& gpu = target::gpu_named(recipe.machine);
    const std::vector<Stage> parts = gpu_stages(problem, recipe);
    std::vector<GpuStepDescription> result;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        GpuDerivation derivation = derive_for_gpu(problem, parts[k], recipe.steps[k], gpu);
        GpuStepDescription& step = result.emplace_back(GpuStepDescription{recipe.steps[k],
                                                                          std::move(derivation.formula),
                                                                          std::move(derivation.lowered),
                                                                          std::move(derivation.programs),
                                                                          {},
                                                                          {}});
        for (std::size_t i = 0; i < step.programs.size(); ++i) {
            step.ptx.push_back(emit::ptx(step.programs[i], ptx_options(gpu)));
            step.kernels.push_back(describe_for_gpu(step.programs[i], step.recipe, i, gpu));
        }
    }
    return result;
}

GpuPlan::GpuPlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuPlan::~GpuPlan() = default;

std::shared_ptr<const GpuPlan> GpuPlan::build(const Problem& problem, const Recipe& recipe,
                                              const runtime::GpuDevice& device,
                                              const GpuPlanOptions& options) {
    const target::Gpu& gpu = target::gpu_named(recipe.machine);
    require_runs(gpu, device);
    auto state = std::make_unique<State>(problem, recipe, device, gpu);
    state->derive(options.use_cache ? runtime::KernelCache::of_user() : nullptr);
    std::shared_ptr<const GpuPlan> plan(new GpuPlan(std::move(state)));
    if (options.check)
        check_against_definition(problem, recipe, [&](ProblemData& data) {
            GpuProblemData there(device, data);
            there.copy_from(data);
            plan->execute(there.arguments(), nullptr);
            there.copy_to(data);
        });
    return plan;
}

const Problem& GpuPlan::problem() const { return state_->problem; }
const Recipe& GpuPlan::recipe() const { return state_->recipe; }
const runtime::GpuDevice& GpuPlan::device() const { return state_->device; }
const target::Gpu& GpuPlan::gpu() const { return state_->gpu; }
std::size_t GpuPlan::workspace_bytes() const { return state_->workspace_bytes; }

void GpuPlan::execute(const Arguments& arguments, runtime::cuda::Stream stream,
                      const GpuWorkspace& workspace) const {
    const State& state = *state_;
    (*state.check)(state.device, arguments);
    const auto queue = runtime::GpuStream::borrowed(state.device, stream);
    const bool brought = workspace.data != nullptr || workspace.bytes > 0;
    if (brought) (*state.check)(state.device, workspace, arguments);
    std::optional<runtime::GpuStreamBuffer> own;
    if (!brought && state.workspace_bytes > 0) own.emplace(queue, state.workspace_bytes);
    state.launch(arguments, own ? own->address() : reinterpret_cast<runtime::cuda::Address>(workspace.data),
                 queue);
}

double GpuPlan::flops() const {
    double sum = 0;
    for (const LaunchedKernel& kernel : state_->kernels) sum += static_cast<double>(kernel.info().flops);
    return sum;
}

double GpuPlan::bytes() const {
    double sum = 0;
    for (const LaunchedKernel& kernel : state_->kernels)
        sum += static_cast<double>(kernel.info().bytes_loaded + kernel.info().bytes_stored);
    return sum;
}

std::vector<ir::KernelInfo> GpuPlan::kernels() const {
    std::vector<ir::KernelInfo> result;
    for (const LaunchedKernel& kernel : state_->kernels) result.push_back(kernel.info());
    return result;
}

std::vector<GpuStepDescription> GpuPlan::describe() const {
    std::vector<GpuStepDescription> result = describe_steps(state_->problem, state_->recipe);
    std::size_t next = 0;
    for (GpuStepDescription& step : result)
        for (ir::KernelInfo& info : step.kernels) info = state_->kernels.at(next++).info();
    return result;
}

} // namespace swirl::planning
