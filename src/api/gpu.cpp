#include "api/gpu.hpp"

#include "api/arguments.hpp"
#include "api/plan.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cuda/memory.hpp"
#include "search/gpu_planner.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace swirl {
namespace api {

namespace {

/// Default time budget for measuring, in seconds: the driver compiles about two hundred kernels in this time.
constexpr double usual_budget = 5;

double budget_of(const gpu::PlanOptions& options) {
    if (!options.time_budget_seconds) return options.effort == Effort::exhaustive ? 0 : usual_budget;
    if (!(*options.time_budget_seconds >= 0))
        throw UserError("time_budget_seconds is {}; use a number that is not negative",
                        *options.time_budget_seconds);
    return *options.time_budget_seconds;
}

} // namespace

const runtime::GpuDevice& device_numbered(int number) {
    const ForkSection section;
    static constinit ForkSafeMutex mutex;
    static auto& devices = *new std::map<int, runtime::GpuDevice>; // never destroyed: may be in use at exit
    const std::lock_guard lock(mutex);
    if (const auto known = devices.find(number); known != devices.end()) return known->second;
    return devices.emplace(number, runtime::GpuDevice(number)).first->second;
}

planning::Recipe recipe_for(const Transform& problem, const runtime::GpuDevice& device, bool use_wisdom) {
    return search::choose_gpu_recipe(problem, search::gpu_identity_of(device), use_wisdom);
}

std::shared_ptr<const planning::GpuPlan> build(const Transform& problem, const gpu::PlanOptions& options) {
    const ForkSection section;
    validate(problem);
    const search::GpuPlannerOptions planner{.effort = effort_of(options.effort),
                                            .time_budget_seconds = budget_of(options),
                                            .use_wisdom = options.use_wisdom,
                                            .check = options.check,
                                            .use_cache = options.use_cache,
                                            .progress = outside_of_sections(options.progress)};
    return with_public_errors([&] {
        const runtime::GpuDevice& device = device_numbered(options.device);
        if (options.recipe.empty()) return search::make_gpu_plan(problem, device, planner);
        return planning::GpuPlan::build(problem, planning::parse_recipe(options.recipe), device,
                                        {.check = options.check, .use_cache = options.use_cache});
    });
}

} // namespace api

namespace gpu {

Plan plan(const Transform& problem, const PlanOptions& options) { return Plan(api::build(problem, options)); }

struct Plan::AuxiliaryArrays {
    std::vector<planning::ArrayArgument> arrays; ///< in the order of arrays_of
};

Plan::Plan(std::shared_ptr<const planning::GpuPlan> plan)
    : signature_(api::signature_of(plan->problem())), plan_(std::move(plan)) {}

const Transform& Plan::problem() const { return plan_->problem(); }
std::string Plan::recipe() const { return planning::to_string(plan_->recipe()); }
int Plan::device() const { return plan_->device().properties().index; }
std::size_t Plan::workspace_bytes() const { return plan_->workspace_bytes(); }
double Plan::flops() const { return plan_->flops(); }
double Plan::bytes() const { return plan_->bytes(); }

std::string Plan::description() const {
    std::string text;
    for (const ir::KernelInfo& kernel : plan_->kernels()) text += ir::to_string(kernel);
    return text;
}

void Plan::run(std::initializer_list<Pointer> arrays, Stream stream, Workspace workspace) const {
    const Pointer* const array = arrays.begin();
    const bool fits = signature_.exists && arrays.size() == 2 && array[0].element == signature_.input &&
                      array[1].element == signature_.output && !array[1].is_const;
    planning::Arguments arguments =
        fits ? planning::Arguments{.input = array[0].data, .output = array[1].data}
             : api::arguments_of(plan_->problem(), {arrays.begin(), arrays.size()});
    if (auxiliary_) arguments.arrays = auxiliary_->arrays;
    api::with_public_errors([&] {
        plan_->execute(arguments, static_cast<runtime::cuda::Stream>(stream.handle()),
                       {workspace.data, workspace.bytes});
    });
}

Plan Plan::with_array(std::string_view name, std::initializer_list<Pointer> parts) const {
    auto auxiliary =
        auxiliary_ ? std::make_shared<AuxiliaryArrays>(*auxiliary_) : std::make_shared<AuxiliaryArrays>();
    const std::size_t k = api::array_named(problem(), name, {parts.begin(), parts.size()});
    auxiliary->arrays.resize(arrays_of(problem()).size());
    auxiliary->arrays[k] = {parts.begin()->data, parts.size() > 1 ? parts.begin()[1].data : nullptr};
    Plan result = *this;
    result.auxiliary_ = std::move(auxiliary);
    return result;
}

struct Memory::State {
    runtime::GpuBuffer buffer;
};

Memory::Memory(std::size_t bytes, int device)
    : state_(api::with_public_errors([&] {
          return std::make_unique<State>(State{runtime::GpuBuffer(api::device_numbered(device), bytes)});
      })) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

void* Memory::data() const { return reinterpret_cast<void*>(state_->buffer.address()); }
std::size_t Memory::bytes() const { return state_->buffer.bytes(); }

namespace {

void require_capacity(std::size_t bytes, std::size_t capacity) {
    if (bytes > capacity)
        throw UserError("a copy of {} bytes, but the memory on the GPU has {}", bytes, capacity);
}

} // namespace

void Memory::copy_from(const void* host, std::size_t bytes) {
    require_capacity(bytes, this->bytes());
    if (bytes == 0) return;
    const runtime::GpuDevice& device = state_->buffer.device();
    device.synchronize();
    runtime::copy_to_gpu(device, state_->buffer.address(), host, bytes);
    device.synchronize(); // a small copy may still be in flight
}

void Memory::copy_to(void* host, std::size_t bytes) const {
    require_capacity(bytes, this->bytes());
    if (bytes == 0) return;
    const runtime::GpuDevice& device = state_->buffer.device();
    device.synchronize();
    runtime::copy_from_gpu(device, host, state_->buffer.address(), bytes);
}

} // namespace gpu
} // namespace swirl
