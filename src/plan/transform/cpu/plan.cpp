#include "plan/transform/cpu/plan.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "plan/check/cpu_transform.hpp"
#include "plan/memory_need.hpp"
#include "plan/portable/kernel.hpp"
#include "plan/transform/arguments.hpp"
#include "plan/transform/cpu/emitted_kernel.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/cpu/pointer_call.hpp"
#include "plan/transform/cpu/stored_plan.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/validate.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace swirl::planning {

struct Plan::State {
    State(Transform p, Schedule r, const target::Cpu* c, ArgumentCheck a)
        : problem(std::move(p)), schedule(std::move(r)), cpu(c), check(std::move(a)) {}

    Transform problem;
    Schedule schedule;
    const target::Cpu* cpu;
    ArgumentCheck check;
    DirectCall direct;        ///< of the only kernel
    PointerCall pointer_call; ///< the same, if it has two arrays
    Kernels kernels;
    int threads = 1;
    double seconds = 0; ///< lower bound on one thread's time
    /// Workspace layout: the intermediate, then shared memory, then each thread's own.
    std::size_t intermediate_bytes = 0;
    std::size_t shared_bytes = 0;
    std::size_t own_bytes = 0;
    std::size_t workspace_bytes = 0;
    std::string checked;

    /// Adds the kernel of the next pass.
    void add(std::unique_ptr<Kernel> kernel) {
        shared_bytes = std::max(shared_bytes, kernel->workspace_bytes());
        own_bytes = std::max(own_bytes, kernel->own_workspace_bytes());
        threads = std::max(threads, kernel->team());
        workspace_bytes = intermediate_bytes + shared_bytes + static_cast<std::size_t>(threads) * own_bytes;
        constexpr double max_flops_per_second = 1e11; // per thread
        seconds += static_cast<double>(kernel->info().flops) / max_flops_per_second;
        kernels.push_back(std::move(kernel));
    }

    /// After the kernels of all passes.
    void finish() {
        if (kernels.size() == 1 && threads == 1 && intermediate_bytes == 0)
            direct = kernels[0]->direct_call();
        if (direct) pointer_call = PointerCall(check.of_two_arrays(), direct);
    }

    Integer table_bytes() const {
        Integer sum = 0;
        for (const auto& kernel : kernels) sum += kernel->info().table_bytes;
        return sum;
    }

    void run(const Arguments& arguments, void* workspace) const {
        if (threads > 1 && runtime::team_size(threads) > 1) return run_on_team(arguments, workspace);
        const Kernel::Pointers pointers = pointers_of(arguments, workspace);
        for (const auto& kernel : kernels) kernel->run(pointers);
    }

    void run_pass(std::size_t pass, const Arguments& arguments, void* workspace) const {
        kernels.at(pass)->run(pointers_of(arguments, workspace));
    }

private:
    /// `nest_owner`: the member in whose workspace lies what is private to a nest's iteration.
    Kernel::Pointers pointers_of(const Arguments& arguments, void* workspace, int member = 0,
                                 int nest_owner = 0) const {
        std::byte* const intermediate = static_cast<std::byte*>(workspace);
        std::byte* const shared = intermediate + intermediate_bytes;
        const auto own = [&](int of) {
            return shared + shared_bytes + static_cast<std::size_t>(of) * own_bytes;
        };
        // The first kernel may read the input; the others find their data in the output.
        return {{const_cast<void*>(arguments.input), const_cast<void*>(arguments.input_imaginary),
                 arguments.output, arguments.output_imaginary, intermediate, shared, own(nest_owner),
                 own(member)},
                arguments.arrays.data()};
    }

    /// Out of line: keeps the fast path of `run` small, for transforms of about 16 points.
    [[gnu::noinline]] void run_on_team(const Arguments& arguments, void* workspace) const {
        runtime::run_team(
            threads,
            [&, this](const runtime::TeamMember& member) {
                run_as(member, pointers_of(arguments, workspace, member.index(), member.index()),
                       pointers_of(arguments, workspace, member.index()));
            },
            seconds);
    }

    /// Member 0 runs the serial phases. Barriers surround each parallel phase, except at the ends.
    void run_as(const runtime::TeamMember& member, const Kernel::Pointers& pointers,
                const Kernel::Pointers& of_repeated) const {
        const PhaseDescription* previous = nullptr;
        for (const auto& kernel : kernels)
            for_each_run(kernel->phases(), [&](const PhaseRun& run) {
                const PhaseDescription& phase = kernel->phases()[run.phase];
                if (previous && (previous->is_parallel || phase.is_parallel)) member.barrier();
                previous = &phase;
                const runtime::IterationRange range =
                    phase.is_parallel
                        ? runtime::partition_of(phase.iterations, phase.grain, member.index(), member.size())
                        : runtime::IterationRange{0, member.index() == 0 ? phase.iterations : 0};
                if (range.first < range.last)
                    kernel->run_phase(run, range, phase.repeated == 0 ? pointers : of_repeated);
            });
    }
};

namespace {

/// Workspace of the calling thread; grows to that of the largest plan it has run.
void* thread_workspace(std::size_t bytes) {
    thread_local runtime::AlignedBuffer buffer;
    if (buffer.bytes() < bytes) buffer = runtime::AlignedBuffer(bytes, {.huge_pages = true});
    return buffer.data();
}

void match(const Schedule& schedule, const std::vector<DimensionPass>& passes) {
    require_passes_for(schedule, passes);
    for (const PassSchedule& pass : schedule.transform().passes)
        if (!pass.configurations.empty())
            throw UserError(
                "schedule \"{}\" has the launch configuration 'on {}', which is for GPUs; {} is a CPU",
                to_string(schedule), to_string(pass.configurations.front()), schedule.target);
}

bool is_portable(const target::Cpu& cpu) { return cpu.set == target::InstructionSet::portable; }

/// The schedule's CPU, if code for it can run here.
const target::Cpu& kernel_cpu(const Schedule& schedule) {
    const target::Cpu& cpu = target::cpu_named(schedule.target);
    if (schedule.transform().scalar && is_portable(cpu))
        throw UserError(
            "schedule \"{}\": the portable CPU has no scalar code\n  name another, as \"sse2: scalar; …\" "
            "does",
            to_string(schedule));
    const bool needs_code = !is_portable(cpu) && !cpu.emitted_only;
    return !needs_code || runtime::ExecutableCode::is_available() ? cpu : target::portable_cpu();
}

/// Code for several threads only where a team of them pays: else that of a plan for one thread.
std::unique_ptr<Kernel> make_kernel(const Transform& problem, const ExpandedPass& expanded,
                                    const target::Cpu& cpu, const CodeOptions& code,
                                    const passes::PhaseOptions& sharing) {
    if (is_portable(cpu)) return make_portable_kernel(problem, expanded);
    const ir::Program program = optimized_program(problem, expanded, cpu, code);
    if (cpu.emitted_only) return std::make_unique<EmittedKernel>(program);
    if (!code.shared) return std::make_unique<CompiledKernel>(program, expanded.pass, cpu);
    std::vector<passes::Phase> phases = passes::phases(program, sharing);
    const Integer team = passes::fastest_team(phases, sharing);
    if (team == 1) return make_kernel(problem, expanded, cpu, {.scalar = code.scalar, .shared = false}, {});
    if (team < sharing.threads) phases = passes::phases(program, {team, sharing.costs});
    return std::make_unique<CompiledKernel>(program, expanded.pass, cpu, phases, static_cast<int>(team));
}

std::vector<ExpandedPass> expand(const std::vector<DimensionPass>& passes, const Schedule& schedule) {
    std::vector<ExpandedPass> result;
    for (std::size_t k = 0; k < passes.size(); ++k)
        result.emplace_back(passes[k], schedule.transform().passes[k].tree);
    return result;
}

PlanningWork work_of_plan(const Transform& problem, const Schedule& schedule,
                          const std::vector<ExpandedPass>& passes, const PlanOptions& options) {
    PlanningWork work;
    for (const ExpandedPass& pass : passes) work += work_of(pass.formula);
    if (!options.check) return work;
    const Integer free_bytes = free_host_bytes(options.memory_limit, problem) - min_workspace(problem);
    const CheckScope scope = CheckScope::of(problem, {.bytes = free_bytes});
    work += work_of(scope, problem);
    PlanOptions unchecked = options;
    unchecked.check = false;
    if (scope.kind == CheckScope::Kind::shorter_batch)
        work += planning_work(*scope.shorter, schedule, unchecked);
    return work;
}

} // namespace

PlanningWork planning_work(const Transform& problem, const Schedule& schedule, const PlanOptions& options) {
    const std::vector<DimensionPass> passes = dimension_passes(problem);
    match(schedule, passes);
    return work_of_plan(problem, schedule, expand(passes, schedule), options);
}

Plan::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Plan::~Plan() = default;

std::shared_ptr<const Plan> Plan::build(const Transform& problem, const Schedule& schedule,
                                        const PlanOptions& options) {
    validate_for_cpu(problem);
    require_memory(problem);
    const target::Cpu& cpu = kernel_cpu(schedule);
    const std::vector<DimensionPass> passes = dimension_passes(problem);
    match(schedule, passes);
    if (options.threads < 1) throw UserError("threads is {}; use 1 or more", options.threads);
    MemoryNeed need{.is_whole = false};
    const std::size_t intermediate = in_whole_lines(intermediate_bytes(problem));
    need.workspace = std::max(min_workspace(problem), static_cast<Integer>(intermediate));
    require_within(options.memory_limit, need, problem);
    std::vector<ExpandedPass> expanded;
    if (options.planning_limit > 0) {
        expanded = expand(passes, schedule);
        require_in_time(options.planning_limit, time_of(work_of_plan(problem, schedule, expanded, options)),
                        problem);
    }
    // `kernel_of` makes the kernel of a pass.
    const auto plan_of = [&](auto&& kernel_of) {
        auto state = std::make_unique<State>(problem, schedule, &cpu, ArgumentCheck(problem));
        state->intermediate_bytes = intermediate;
        for (std::size_t k = 0; k < passes.size(); ++k) {
            if (options.interrupt) options.interrupt();
            state->add(kernel_of(k));
            need.workspace = static_cast<Integer>(state->workspace_bytes);
            need.tables = state->table_bytes();
            if (k + 1 < passes.size()) require_within(options.memory_limit, need, problem);
        }
        state->finish();
        std::shared_ptr<const Plan> plan(new Plan(std::move(state)));
        plan->check(options);
        return plan;
    };
    const CodeOptions code{.scalar = schedule.transform().scalar, .shared = options.threads > 1};
    const StoredPlan stored(problem, schedule, cpu, options);
    const auto stored_plan = [&]() -> std::shared_ptr<const Plan> {
        Kernels kernels = stored.read();
        if (kernels.size() != passes.size()) return nullptr;
        try {
            return plan_of([&](std::size_t k) { return std::move(kernels[k]); });
        } catch (const InternalError& error) { // a check failed: another file has the entry's name
            log_warning(fmt::format("a plan in the kernel cache is derived again: {}", error.what()));
            stored.drop();
            return nullptr;
        }
    };
    if (auto plan = stored_plan()) return plan;
    if (expanded.empty()) expanded = expand(passes, schedule);
    std::shared_ptr<const Plan> plan = plan_of([&](std::size_t k) {
        return make_kernel(problem, expanded[k], cpu, code, {options.threads, options.sharing});
    });
    stored.write(plan->state_->kernels);
    return plan;
}

void Plan::check(const PlanOptions& options) const {
    MemoryNeed need{.workspace = static_cast<Integer>(workspace_bytes()), .tables = table_bytes()};
    CheckScope scope = CheckScope::not_wanted();
    if (options.check)
        scope = CheckScope::of(problem(), {.bytes = free_host_bytes(options.memory_limit, problem()) -
                                                    need.workspace - need.tables});
    else if (!target::host_can_run(cpu()))
        scope = CheckScope::none(fmt::format("this machine cannot run code for {}", cpu().name));
    need.check = scope.bytes;
    require_within(options.memory_limit, need, problem());
    require_in_time(options.planning_limit, {.check = time_of(work_of(scope, problem())).check}, problem());
    state_->checked = to_string(check_plan(*this, std::move(scope), options), problem());
}

const std::string& Plan::checked() const { return state_->checked; }

const Transform& Plan::problem() const { return state_->problem; }
const Schedule& Plan::schedule() const { return state_->schedule; }
const target::Cpu& Plan::cpu() const { return *state_->cpu; }
std::size_t Plan::workspace_bytes() const { return state_->workspace_bytes; }
int Plan::threads() const { return state_->threads; }

const PointerCall& Plan::pointer_call() const { return state_->pointer_call; }

void Plan::execute(const Arguments& arguments) const {
    if (state_->direct && state_->check.admits(arguments)) return state_->direct(arguments);
    execute_in_thread_workspace(arguments);
}

std::optional<BoundCall> Plan::bound(const Arguments& arguments) const {
    if (!state_->direct || !state_->check.admits(arguments)) return std::nullopt;
    return state_->direct.bound(arguments);
}

void Plan::execute_in_thread_workspace(const Arguments& arguments) const {
    state_->check(arguments);
    state_->run(arguments, thread_workspace(state_->workspace_bytes));
}

void Plan::execute(const Arguments& arguments, void* workspace) const {
    state_->check(arguments);
    if (state_->workspace_bytes > 0 && (!workspace || reinterpret_cast<std::uintptr_t>(workspace) % 64 != 0))
        throw UserError("workspace = {} must point to {} bytes, aligned to 64 bytes", workspace,
                        state_->workspace_bytes);
    state_->check.require_disjoint(workspace, state_->workspace_bytes, arguments);
    state_->run(arguments, workspace);
}

void Plan::execute_pass(std::size_t pass, const Arguments& arguments) const {
    state_->check(arguments);
    state_->run_pass(pass, arguments, thread_workspace(state_->workspace_bytes));
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

Integer Plan::table_bytes() const { return state_->table_bytes(); }

CodeOptions Plan::code_options(std::size_t pass) const {
    return {.scalar = state_->schedule.transform().scalar, .shared = state_->kernels.at(pass)->team() > 1};
}

std::vector<PassDescription> Plan::describe() const {
    std::vector<PassDescription> descriptions;
    const std::vector<DimensionPass> passes = dimension_passes(state_->problem);
    for (std::size_t k = 0; k < passes.size(); ++k) {
        const rules::BreakdownTree& tree = state_->schedule.transform().passes[k].tree;
        Derivation derivation = derive(state_->problem, passes[k], tree, *state_->cpu, code_options(k));
        if (is_portable(*state_->cpu)) {
            PortableDerivation portable = derive_portable(state_->problem, {passes[k], tree});
            derivation.formula = std::move(portable.request.loops.formula);
            derivation.loops = std::move(portable.loops);
        }
        descriptions.push_back({state_->schedule.transform().passes[k], std::move(derivation.formula),
                                std::move(derivation.loops), std::move(derivation.lowered),
                                std::move(derivation.program), state_->kernels[k]->info(),
                                state_->kernels[k]->phases(), state_->kernels[k]->statistics()});
    }
    return descriptions;
}

std::string Plan::listing(std::size_t pass) const {
    const std::vector<DimensionPass> passes = dimension_passes(state_->problem);
    ensure(pass < passes.size(), "a plan with {} passes has no pass {}", passes.size(), pass);
    const Derivation derivation =
        derive(state_->problem, passes[pass], state_->schedule.transform().passes[pass].tree, *state_->cpu,
               code_options(pass));
    return jit::compile(derivation.program, *state_->cpu, {.listing = true}).listing;
}

} // namespace swirl::planning
