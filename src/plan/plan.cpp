#include "plan/plan.hpp"

#include "base/error.hpp"
#include "plan/arguments.hpp"
#include "plan/check.hpp"
#include "plan/kernel.hpp"
#include "plan/portable_kernel.hpp"
#include "plan/steps.hpp"
#include "problem/validate.hpp"
#include "runtime/aligned_buffer.hpp"

#include <algorithm>
#include <cstdint>

namespace swirl::planning {

struct Plan::State {
    Problem problem;
    Recipe recipe;
    const target::Cpu* cpu;
    ArgumentCheck check;
    std::vector<std::unique_ptr<Kernel>> kernels;
    std::size_t intermediate_bytes = 0; ///< at the start of the workspace
    std::size_t workspace_bytes = 0;

    void run(const Arguments& arguments, void* workspace) const {
        // The first kernel may read the input; the others find their data in the output.
        const Kernel::Pointers pointers = {const_cast<void*>(arguments.input),
                                           const_cast<void*>(arguments.input_imaginary),
                                           arguments.output,
                                           arguments.output_imaginary,
                                           workspace,
                                           static_cast<std::byte*>(workspace) + intermediate_bytes};
        for (const auto& kernel : kernels) kernel->run(pointers);
    }
};

namespace {

/// Workspace of the calling thread: grows to the largest plan it has run.
void* thread_workspace(std::size_t bytes) {
    thread_local runtime::AlignedBuffer buffer;
    if (buffer.bytes() < bytes) buffer = runtime::AlignedBuffer(bytes);
    return buffer.data();
}

/// A half spectrum between stages, rounded up to whole cache lines.
std::size_t intermediate_bytes(const Problem& problem) {
    const auto bytes =
        static_cast<std::size_t>(2 * intermediate_elements(problem) * real_bytes(problem.precision));
    return (bytes + 63) / 64 * 64;
}

void match(const Recipe& recipe, const std::vector<Stage>& stages) {
    if (recipe.steps.size() != stages.size())
        throw UserError("recipe \"{}\" has {} steps; this problem needs {}", to_string(recipe),
                        recipe.steps.size(), stages.size());
    for (std::size_t k = 0; k < stages.size(); ++k)
        if (recipe.steps[k].dimension != stages[k].dimension)
            throw UserError(
                "recipe \"{}\": step {} is for dimension {}; this problem needs dimension {} there",
                to_string(recipe), k, recipe.steps[k].dimension, stages[k].dimension);
}

bool is_portable(const target::Cpu& cpu) { return cpu.set == target::InstructionSet::portable; }

/// The recipe's, if code for it can run here.
const target::Cpu& kernel_cpu(const Recipe& recipe) {
    const target::Cpu& cpu = target::cpu_named(recipe.cpu);
    return is_portable(cpu) || runtime::ExecutableCode::is_available() ? cpu : target::portable_cpu();
}

std::unique_ptr<Kernel> make_kernel(const Problem& problem, const Stage& stage,
                                    const rules::BreakdownTree& tree, const target::Cpu& cpu) {
    if (is_portable(cpu)) return make_portable_kernel(problem, stage, tree);
    return std::make_unique<CompiledKernel>(derive(problem, stage, tree, cpu).machine, stage, cpu);
}

} // namespace

Plan::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Plan::~Plan() = default;

std::shared_ptr<const Plan> Plan::build(const Problem& problem, const Recipe& recipe,
                                        const PlanOptions& options) {
    validate(problem);
    const target::Cpu& cpu = kernel_cpu(recipe);
    const std::vector<Stage> parts = stages(problem);
    match(recipe, parts);
    auto state = std::make_unique<State>(State{problem, recipe, &cpu, ArgumentCheck(problem), {}, 0, 0});
    state->intermediate_bytes = intermediate_bytes(problem);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        state->kernels.push_back(make_kernel(problem, parts[k], recipe.steps[k].tree, cpu));
        state->workspace_bytes = std::max(
            state->workspace_bytes, state->intermediate_bytes + state->kernels.back()->workspace_bytes());
    }
    std::shared_ptr<const Plan> plan(new Plan(std::move(state)));
    if (options.check) check_against_definition(*plan);
    return plan;
}

const Problem& Plan::problem() const { return state_->problem; }
const Recipe& Plan::recipe() const { return state_->recipe; }
const target::Cpu& Plan::cpu() const { return *state_->cpu; }
std::size_t Plan::workspace_bytes() const { return state_->workspace_bytes; }

void Plan::execute(const Arguments& arguments) const {
    state_->check(arguments);
    state_->run(arguments, thread_workspace(state_->workspace_bytes));
}

void Plan::execute(const Arguments& arguments, void* workspace) const {
    state_->check(arguments);
    if (state_->workspace_bytes > 0 && (!workspace || reinterpret_cast<std::uintptr_t>(workspace) % 64 != 0))
        throw UserError("workspace = {} must point at {} bytes aligned to 64", workspace,
                        state_->workspace_bytes);
    state_->run(arguments, workspace);
}

double Plan::flops() const {
    double sum = 0;
    for (const auto& kernel : state_->kernels) sum += static_cast<double>(kernel->info().flops);
    return sum;
}

double Plan::bytes() const {
    double sum = 0;
    for (const auto& kernel : state_->kernels)
        sum += static_cast<double>(kernel->info().bytes_loaded + kernel->info().bytes_stored);
    return sum;
}

std::vector<StepDescription> Plan::describe() const {
    std::vector<StepDescription> steps;
    const std::vector<Stage> parts = stages(state_->problem);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const rules::BreakdownTree& tree = state_->recipe.steps[k].tree;
        Derivation derivation = derive(state_->problem, parts[k], tree, *state_->cpu);
        if (is_portable(*state_->cpu)) {
            PortableDerivation portable = derive_portable(state_->problem, parts[k], tree);
            derivation.formula = std::move(portable.formula);
            derivation.loops = std::move(portable.loops);
        }
        steps.push_back({state_->recipe.steps[k], std::move(derivation.formula), std::move(derivation.loops),
                         std::move(derivation.lowered), std::move(derivation.machine),
                         state_->kernels[k]->info(), state_->kernels[k]->statistics()});
    }
    return steps;
}

std::string Plan::listing(std::size_t step) const {
    const std::vector<Stage> parts = stages(state_->problem);
    ensure(step < parts.size(), "a plan of {} steps has no step {}", parts.size(), step);
    const Derivation derivation =
        derive(state_->problem, parts[step], state_->recipe.steps[step].tree, *state_->cpu);
    return jit::compile(derivation.machine, *state_->cpu, {.listing = true}).listing;
}

} // namespace swirl::planning
