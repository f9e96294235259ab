#include <swirl/gpu_matrix_product.hpp>

#include "api/gpu.hpp"
#include "api/matrix_arrays.hpp"
#include "api/plan.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gpu_matrix_plan.hpp"
#include "runtime/cuda/memory.hpp"
#include "search/wisdom/gpu_matrix_wisdom.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace swirl {

namespace {

constexpr double usual_budget = 5; ///< seconds
constexpr std::size_t usual_candidates = 32, exhaustive_candidates = 256;

double budget_of(const gpu::MatrixPlanOptions& options) {
    if (!options.time_budget_seconds)
        return options.effort == Effort::exhaustive ? std::numeric_limits<double>::infinity() : usual_budget;
    if (!(*options.time_budget_seconds >= 0))
        throw UserError("time_budget_seconds is {}; use a number that is not negative",
                        *options.time_budget_seconds);
    return *options.time_budget_seconds;
}

gemm::GpuGemmSchedule schedule_for(const MatrixProduct& product, const runtime::GpuDevice& device,
                                   const gpu::MatrixPlanOptions& options) {
    if (!options.schedule.empty()) return gemm::parse_gpu_schedule(options.schedule);
    const bool is_exhaustive = options.effort == Effort::exhaustive;
    return search::choose_gpu_schedule(product, device,
                                       {.measures = options.effort != Effort::estimate,
                                        .seconds = budget_of(options),
                                        .most = is_exhaustive ? exhaustive_candidates : usual_candidates,
                                        .accuracy = options.accuracy,
                                        .reorder_sass = options.reorder_sass,
                                        .use_wisdom = options.use_wisdom,
                                        .use_cache = options.use_cache,
                                        .progress = api::outside_of_sections(options.progress)});
}

} // namespace

std::shared_ptr<const planning::GpuMatrixPlan> api::build(const MatrixProduct& product,
                                                          const gpu::MatrixPlanOptions& options) {
    const ForkSection section;
    validate(product);
    return with_public_errors([&] {
        const runtime::GpuDevice& device = device_numbered(options.device);
        return planning::GpuMatrixPlan::build(product, schedule_for(product, device, options), device,
                                              {.check = options.check, .use_cache = options.use_cache});
    });
}

void api::require_lists(const MatrixProduct& product, bool are_given) {
    if (product.listed && !are_given)
        throw UserError("the product has lists of pointers: use execute_each()");
    if (!product.listed && are_given)
        throw UserError(
            "the product has no lists of pointers\n  plan one whose 'listed' is true, and whose "
            "batch is as long as the lists");
}

void api::execute_groups(std::span<const GpuMatrixGroup> groups, gpu::Stream stream) {
    with_public_errors([&] {
        std::vector<planning::GpuMatrixPlan::Execution> executions;
        for (const auto& [plan, arguments] : groups) {
            const int first = groups.front().plan->device().properties().index,
                      own = plan->device().properties().index;
            if (own != first)
                throw UserError("group {} is of GPU {}, the first one of GPU {}; a stream is of one",
                                executions.size(), own, first);
            executions.push_back(plan->examined(arguments));
        }
        for (std::size_t k = 0; k < groups.size(); ++k)
            groups[k].plan->launch(executions[k], static_cast<runtime::cuda::Stream>(stream.handle()));
    });
}

namespace gpu {

MatrixPlan::MatrixPlan(std::shared_ptr<const planning::GpuMatrixPlan> plan) : plan_(std::move(plan)) {}

MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options) {
    return MatrixPlan(api::build(product, options));
}

std::vector<std::string> schedules(const MatrixProduct& product, int most, int device, Accuracy accuracy) {
    validate(product);
    if (most < 0) throw UserError("most is {}; use 0 or more", most);
    std::vector<std::string> result;
    for (const gemm::GpuGemmSchedule& schedule : gemm::gpu_schedules(
             product, api::device_numbered(device).target(), static_cast<std::size_t>(most), accuracy))
        result.push_back(to_string(schedule));
    return result;
}

void MatrixPlan::check(const DataTypes& types, Where where) const {
    const MatrixProduct& wanted = plan_->product();
    const auto check = [](const char* name, DataType given, DataType data_type) {
        if (given != data_type)
            throw UserError("{} of another kind of number than the product's: {}, not {}", name,
                            word_of(given), word_of(data_type));
    };
    check("matrix 'a' is", types.a, wanted.type_of_a());
    check("matrix 'b' is", types.b, wanted.type_of_b());
    check("matrix 'c' is", types.c, wanted.type_of_c());
    check("alpha and beta are", types.accumulator, wanted.data_type);
    api::require_lists(wanted, where == Where::listed);
}

void MatrixPlan::run(const DataTypes& types, const Pointers& pointers, Where where, Stream stream,
                     Workspace workspace) const {
    check(types, where);
    api::with_public_errors([&] {
        planning::GpuMatrixArguments arguments{pointers.alpha, pointers.a, pointers.b, pointers.beta,
                                               pointers.c};
        if (arrays_) arguments.arrays = *arrays_;
        plan_->execute(arguments, static_cast<runtime::cuda::Stream>(stream.handle()),
                       {workspace.data, workspace.bytes});
    });
}

void MatrixPlan::run_groups(std::span<const AnyGroup> groups, Stream stream) {
    std::vector<api::GpuMatrixGroup> checked;
    for (const AnyGroup& group : groups) {
        const auto& [plan, types, pointers] = group;
        plan->check(types, Where::listed);
        planning::GpuMatrixArguments arguments{pointers.alpha, pointers.a, pointers.b, pointers.beta,
                                               pointers.c};
        if (plan->arrays_) arguments.arrays = *plan->arrays_;
        checked.push_back({plan->plan_.get(), arguments});
    }
    api::execute_groups(checked, stream);
}

MatrixPlan MatrixPlan::with_array(std::string_view name, DataType data_type, const void* array,
                                  bool is_writable) const {
    const api::GivenArray given{name, data_type, array, is_writable};
    std::vector<const void*> arrays = api::arrays_with(product(), given, arrays_.get());
    MatrixPlan plan = *this;
    plan.arrays_ = std::make_shared<const std::vector<const void*>>(std::move(arrays));
    return plan;
}

const MatrixProduct& MatrixPlan::product() const { return plan_->product(); }
std::string MatrixPlan::schedule() const { return to_string(plan_->schedule()); }
std::string MatrixPlan::description() const {
    if (plan_->kernel() == nullptr) return "nothing to compute\n";
    const std::string& kept_because = plan_->kernel()->not_reordered_because();
    const std::string loop =
        kept_because.empty() ? "" : "the main loop stays as compiled: " + kept_because + "\n";
    return gemm::arithmetic_of(plan_->schedule(), plan_->product()) + "\n" + loop +
           ir::to_string(plan_->kernel()->info());
}
std::size_t MatrixPlan::workspace_bytes() const { return plan_->workspace_bytes(); }
int MatrixPlan::device() const { return plan_->device().properties().index; }
double MatrixPlan::flops() const { return plan_->flops(); }

} // namespace gpu
} // namespace swirl
