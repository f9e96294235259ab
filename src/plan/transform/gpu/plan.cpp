#include "plan/transform/gpu/plan.hpp"

#include "base/error.hpp"
#include "plan/check/gpu_transform.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "plan/transform/gpu/chunks.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/kernels.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "problem/validate.hpp"

#include <algorithm>
#include <optional>

namespace swirl::planning {

namespace {

/// Throws UserError if the device cannot run code for this target.
void require_runs(const target::Gpu& gpu, const runtime::GpuDevice& device) {
    const runtime::GpuProperties& properties = device.properties();
    if (std::pair(properties.capability_major, properties.capability_minor) <
        std::pair(gpu.capability_major, gpu.capability_minor))
        throw UserError("the schedule is for {}, but {} has compute capability {}.{}; use {}", gpu.name,
                        device.description(), properties.capability_major, properties.capability_minor,
                        device.target().name);
    if (device.driver().version() < gpu.driver_version)
        device.driver().too_old_for(fmt::format("code for {}", gpu.name), gpu.driver_version);
}

} // namespace

struct GpuPlan::State {
    State(const Transform& p, const Schedule& r, const runtime::GpuDevice& d, const target::Gpu& g)
        : problem(p), schedule(r), device(d), gpu(g), chunks(p, r.transform().chunk) {}

    Transform problem;
    Schedule schedule;
    runtime::GpuDevice device;
    const target::Gpu& gpu;
    GpuChunks chunks;
    std::optional<GpuKernels> whole; ///< for full chunks
    std::optional<GpuKernels> rest;  ///< for a smaller last chunk
    std::optional<GpuArgumentCheck> check;
    std::size_t workspace_bytes = 0;
    PlanningWork work;
    bool is_verified = false;
    std::string checked; ///< see GpuPlan::checked

    void derive(runtime::KernelCache* cache, const GpuKernelsProgress& progress) {
        whole.emplace(chunks.problem_of(chunks.iterations()), schedule, device, gpu, cache, progress);
        workspace_bytes = whole->workspace_bytes();
        std::array<std::size_t, Binding::sources> alignments = whole->alignments();
        if (chunks.rest() > 0) {
            rest.emplace(chunks.problem_of(chunks.rest()), schedule, device, gpu, cache, progress);
            workspace_bytes = std::max(workspace_bytes, rest->workspace_bytes());
            const std::array<std::size_t, Binding::sources> of_rest = rest->alignments();
            for (std::size_t k = 0; k < alignments.size(); ++k)
                alignments[k] = std::max(alignments[k], of_rest[k]);
        }
        work = whole->work();
        if (rest) work += rest->work();
        check.emplace(problem, alignments, workspace_bytes);
    }

    bool is_checked() const { return whole->is_checked() && (!rest || rest->is_checked()); }
    /// Stores the plan in the cache; a plan that fails its check is not stored.
    void store(bool checked) {
        for (std::optional<GpuKernels>* const kernels : {&whole, &rest}) {
            if (!*kernels) continue;
            (*kernels)->store(checked);
            (*kernels)->release_unstored();
        }
    }

    void launch(const Arguments& arguments, runtime::cuda::Address workspace,
                const runtime::GpuStream& stream) const {
        for (Integer k = 0; k < chunks.whole(); ++k)
            whole->launch(chunks.arguments_of(arguments, k), workspace, stream);
        if (rest) rest->launch(chunks.arguments_of(arguments, chunks.whole()), workspace, stream);
    }

    /// Sum over all launches.
    template <class F> double sum_of(F&& of) const {
        double sum = 0;
        for (const LaunchedKernel& kernel : whole->kernels())
            sum += static_cast<double>(chunks.whole()) * of(kernel.info());
        if (rest)
            for (const LaunchedKernel& kernel : rest->kernels()) sum += of(kernel.info());
        return sum;
    }
};

namespace {

/// Of the check of a plan whose memory is not known yet.
PlanningWork work_of_check(const Transform& problem, const Schedule& schedule) {
    constexpr Integer enough = Integer{1} << 60;
    return work_of(CheckScope::of(problem, {enough, enough}, schedule.transform().chunk), problem);
}

} // namespace

PlanningWork planning_work(const Transform& problem, const Schedule& schedule,
                           const std::vector<GpuPassDescription>& passes, bool is_checked) {
    PlanningWork work;
    std::size_t kernels = 0;
    for (const GpuPassDescription& pass : passes) {
        work += work_of(pass.formula);
        kernels += pass.kernels.size();
    }
    work.gpu_kernels = compilation_rounds(kernels);
    if (is_checked) work += work_of_check(problem, schedule);
    return work;
}

std::vector<GpuPassDescription> describe_passes(const Transform& all, const Schedule& schedule) {
    const target::Gpu& gpu = target::gpu_named(schedule.target);
    validate(all);
    require_gpu_memory(all, gpu);
    const GpuChunks chunks(all, schedule.transform().chunk);
    const Transform problem = chunks.problem_of(chunks.iterations());
    const std::vector<DimensionPass> passes = gpu_passes(problem, schedule);
    const std::size_t between = aligned_bytes(intermediate_bytes(problem, passes));
    std::vector<GpuPassDescription> result;
    std::vector<ir::Program> programs; // of all passes
    for (std::size_t k = 0; k < passes.size(); ++k) {
        GpuDerivation derivation = derive_for_gpu(problem, passes[k], schedule.transform().passes[k], gpu);
        GpuPassDescription& pass = result.emplace_back(GpuPassDescription{schedule.transform().passes[k],
                                                                          std::move(derivation.formula),
                                                                          std::move(derivation.lowered),
                                                                          std::move(derivation.programs),
                                                                          {},
                                                                          {}});
        pass.workspace_bytes = between + PassWorkspace(pass.programs).bytes();
        programs.insert(programs.end(), pass.programs.begin(), pass.programs.end());
        for (std::size_t i = 0; i < pass.programs.size(); ++i) {
            pass.kernels.push_back(describe_for_gpu(pass.programs[i], pass.schedule, i, gpu));
        }
    }
    const std::vector<emit::PtxOptions> options = ptx_options(gpu, programs, starts_kernels_early(gpu));
    std::size_t next = 0;
    for (GpuPassDescription& pass : result)
        for (const ir::Program& program : pass.programs)
            pass.ptx.push_back(emit::ptx(program, options[next++]));
    return result;
}

Integer table_bytes(std::span<const GpuPassDescription> passes) {
    TableImage image;
    for (const GpuPassDescription& pass : passes)
        for (const ir::Program& program : pass.programs)
            for (const ir::BufferInfo& buffer : program.buffers)
                if (buffer.space == ir::Space::table) image.add(buffer);
    return static_cast<Integer>(image.size());
}

namespace {

/// What the limit, and half of the GPU's free memory, leave.
CheckCapacity capacity_for_check(const Transform& problem, const runtime::GpuDevice& device,
                                 const MemoryNeed& need, std::size_t limit) {
    const std::size_t free = device.memory().free / 2, most = limit == 0 ? free : std::min(free, limit);
    const Integer bytes = static_cast<Integer>(most) - need.workspace - need.tables;
    return {.bytes = std::min(bytes, free_host_bytes(0, problem)), .batch_bytes = bytes};
}

} // namespace

GpuPlan::GpuPlan(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuPlan::~GpuPlan() = default;

std::shared_ptr<const GpuPlan> GpuPlan::build(const Transform& problem, const Schedule& schedule,
                                              const runtime::GpuDevice& device,
                                              const GpuPlanOptions& options) {
    if (!is_for_gpu(schedule)) require_target(schedule, device.target().name);
    const target::Gpu& gpu = target::gpu_named(schedule.target);
    require_runs(gpu, device);
    validate(problem);
    require_gpu_memory(problem, gpu, static_cast<Integer>(device.properties().memory_bytes));
    require_within(options.memory_limit, {.workspace = min_gpu_memory(problem, gpu), .is_whole = false},
                   problem);
    auto state = std::make_unique<State>(problem, schedule, device, gpu);
    GpuKernelsProgress progress{.interrupt = options.interrupt};
    if (options.planning_limit > 0)
        progress.before_compilation = [&](PlanningWork work) {
            if (options.check) work += work_of_check(problem, schedule);
            require_in_time(options.planning_limit, time_of(work), problem);
        };
    state->derive(options.use_cache ? runtime::KernelCache::of_user() : nullptr, progress);
    std::shared_ptr<const GpuPlan> plan(new GpuPlan(std::move(state)));
    plan->check(options);
    plan->state_->store(plan->state_->is_verified);
    return plan;
}

void GpuPlan::check(const GpuPlanOptions& options) const {
    MemoryNeed need{.workspace = static_cast<Integer>(workspace_bytes()), .tables = table_bytes()};
    CheckScope scope = CheckScope::not_wanted();
    const bool is_known = state_->is_checked();
    if (options.check && !is_known)
        scope = CheckScope::of(problem(), capacity_for_check(problem(), device(), need, options.memory_limit),
                               state_->schedule.transform().chunk);
    need.check = scope.bytes;
    require_within(options.memory_limit, need, problem());
    scope = check_plan(*this, std::move(scope), options);
    state_->work += work_of(scope, problem());
    state_->is_verified = is_known || scope.kind != CheckScope::Kind::none;
    state_->checked =
        is_known ? "yes, when its kernels were stored in the cache" : to_string(scope, problem());
}

const std::string& GpuPlan::checked() const { return state_->checked; }

const Transform& GpuPlan::problem() const { return state_->problem; }
const Schedule& GpuPlan::schedule() const { return state_->schedule; }
const runtime::GpuDevice& GpuPlan::device() const { return state_->device; }
const target::Gpu& GpuPlan::gpu() const { return state_->gpu; }
std::size_t GpuPlan::workspace_bytes() const { return state_->workspace_bytes; }
const PlanningWork& GpuPlan::planning_work() const { return state_->work; }

Integer GpuPlan::table_bytes() const {
    Integer sum = 0;
    for (const std::optional<GpuKernels>* const kernels : {&state_->whole, &state_->rest})
        if (*kernels) sum += (*kernels)->table_bytes();
    return sum;
}

void GpuPlan::execute(const Arguments& arguments, runtime::cuda::Stream stream,
                      const GpuWorkspace& workspace) const {
    const State& state = *state_;
    (*state.check)(state.device, arguments);
    const auto queue = runtime::GpuStream::borrowed(state.device, stream);
    (*state.check)(state.device, workspace, arguments);
    std::optional<runtime::GpuStreamBuffer> own;
    if (!workspace.is_given() && state.workspace_bytes > 0) own.emplace(queue, state.workspace_bytes);
    state.launch(arguments, own ? own->address() : reinterpret_cast<runtime::cuda::Address>(workspace.data),
                 queue);
}

void GpuPlan::execute_anywhere(const Arguments& arguments, runtime::cuda::Stream stream,
                               void* workspace) const {
    const State& state = *state_;
    state.check->require_valid_addresses(arguments);
    if (workspace == nullptr && state.workspace_bytes > 0)
        throw UserError("there is no workspace; this plan needs {} bytes", state.workspace_bytes);
    state.launch(arguments, reinterpret_cast<runtime::cuda::Address>(workspace),
                 runtime::GpuStream::borrowed(state.device, stream));
}

void GpuPlan::execute_kernel(std::size_t kernel, const Arguments& arguments, runtime::cuda::Stream stream,
                             const GpuWorkspace& workspace) const {
    const State& state = *state_;
    (*state.check)(state.device, arguments);
    (*state.check)(state.device, workspace, arguments);
    state.whole->launch_one(kernel, state.chunks.arguments_of(arguments, 0),
                            reinterpret_cast<runtime::cuda::Address>(workspace.data),
                            runtime::GpuStream::borrowed(state.device, stream));
}

double GpuPlan::flops() const {
    return state_->sum_of([](const ir::KernelInfo& info) { return static_cast<double>(info.flops); });
}

double GpuPlan::bytes() const {
    return state_->sum_of([](const ir::KernelInfo& info) {
        return static_cast<double>(info.bytes_loaded + info.bytes_stored);
    });
}

std::vector<ir::KernelInfo> GpuPlan::kernels() const {
    std::vector<ir::KernelInfo> result;
    for (const LaunchedKernel& kernel : state_->whole->kernels()) result.push_back(kernel.info());
    return result;
}

std::vector<GpuPassDescription> GpuPlan::describe() const {
    std::vector<GpuPassDescription> result = describe_passes(state_->problem, state_->schedule);
    std::size_t next = 0;
    for (GpuPassDescription& pass : result)
        for (ir::KernelInfo& info : pass.kernels) info = state_->whole->kernels().at(next++).info();
    return result;
}

} // namespace swirl::planning
