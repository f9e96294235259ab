#include "search/candidates/gpu/gemm.hpp"
#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/gemm_rejections.hpp"
#include "search/options.hpp"
#include "search/tasks/task.hpp"
#include "search/timer/gpu/timer.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

namespace swirl::search {

using planning::Schedule;

namespace {

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double recheck_gemm_seconds = 1.5;
/// Time budget for measuring, in seconds: the driver compiles about two hundred kernels in this time.
constexpr double usual_gemm_budget = 5;
/// The model's schedules to time.
constexpr std::size_t usual_candidates = 32, exhaustive_candidates = 256;

/// The GPU that code is made for.
const target::Gpu& target_gpu(const GpuTarget& gpu) {
    return gpu.device != nullptr ? gpu.device->target() : gpu.identity.gpu;
}

class GpuGemmTask : public Task {
public:
    GpuGemmTask(const MatrixProduct& product, const GpuTarget& gpu, const TaskSetting& setting)
        : Task(setting), product_(product), whole_(product), gpu_(gpu) {}

    AnyPlan build(const ScheduleCandidate& chosen) override {
        if (gpu_.device == nullptr)
            throw InternalError("no plan for {} without a device", gpu_.identity.gpu.name);
        return planning::GpuMatrixPlan::build(product_, chosen.schedule, *gpu_.device,
                                              {.check = options().check,
                                               .use_cache = options().use_kernel_cache,
                                               .memory_limit = options().memory_limit_bytes,
                                               .planning_limit = options().planning_limit_seconds,
                                               .interrupt = interrupt_of(options())});
    }

    Choice explained(Schedule schedule) const override {
        const target::Gpu& gpu = target_gpu(gpu_);
        planning::require_target(schedule, gpu.name);
        if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return {std::move(schedule)};
        const gemm::GpuGemmSchedule kernel = schedule.gpu_gemm();
        gemm::validate(kernel, product_, gpu);
        return {std::move(schedule), gemm::gpu_seconds(product_, kernel, gpu),
                other_gpu_schedules(product_, kernel, gpu, options().accuracy)};
    }

private:
    ScheduleCandidate chosen() override {
        const std::vector<gemm::GpuGemmSchedule> likely =
            gemm::gpu_schedules(product_, target_gpu(gpu_), 1, options().accuracy);
        if (likely.empty())
            return {Schedule(target_gpu(gpu_).name,
                             gemm::GpuGemmSchedule{})}; // C is empty: any schedule is valid
        if (gpu_.identity.key.empty()) return {of_any_such_gpu(likely.front())};
        std::optional<GpuTimer> of_device;
        return choose_schedule(
            {.problem = whole_,
             .stored = stored_schedules(product_, gpu_, options()),
             .effort = options().effort,
             .seconds = budget_of(options(), {usual_gpu_shortlist_budget, usual_gemm_budget}),
             .recheck_seconds = recheck_gemm_seconds,
             .estimate = [&] { return estimate(likely.front()); },
             .shortlist = shortlist(),
             .space = [this](std::vector<Schedule> others) { return space(std::move(others)); },
             .timer = [&]() -> Timer& {
                 if (given_timer() != nullptr) return *given_timer();
                 return of_device ? *of_device : of_device.emplace(*gpu_.device, options().use_kernel_cache);
             }});
    }

    /// Empty without wisdom to keep the result.
    std::function<std::vector<Schedule>()> shortlist() const {
        if (!options().use_wisdom) return {};
        return [this] {
            std::vector<Schedule> result;
            for (const gemm::GpuGemmSchedule& kernel :
                 gemm::gpu_schedules(product_, target_gpu(gpu_), shortlist_length, options().accuracy))
                result.emplace_back(target_gpu(gpu_).name, kernel);
            result.front() = estimate(result.front().gpu_gemm());
            return result;
        };
    }

    /// The fastest that wisdom holds for GPUs of this kind, if this one can run it; else the model's.
    Schedule of_any_such_gpu(const gemm::GpuGemmSchedule& likeliest) const {
        const auto fastest = stored_schedules(product_, gpu_, options()).fastest_anywhere();
        if (fastest && !gemm::infeasibility(fastest->schedule.gpu_gemm(), product_, target_gpu(gpu_)))
            return fastest->schedule;
        return estimate(likeliest);
    }

    Schedule estimate(const gemm::GpuGemmSchedule& likeliest) const {
        const target::Gpu& gpu = target_gpu(gpu_);
        if (options().reorder_sass)
            if (const auto other = with_sass_reordering(likeliest, product_, gpu))
                return {gpu.name, gemm::GpuGemmSchedule(*other)};
        return {gpu.name, likeliest};
    }

    SearchSpace space(std::vector<Schedule> others) const {
        const bool is_exhaustive = options().effort == Effort::exhaustive;
        return gpu_gemm_space(product_, {.gpu = target_gpu(gpu_),
                                         .most = is_exhaustive ? exhaustive_candidates : usual_candidates,
                                         .accuracy = options().accuracy,
                                         .reorder_sass = options().reorder_sass,
                                         .others = std::move(others)});
    }

    const MatrixProduct& product_;
    const Problem whole_;
    const GpuTarget& gpu_;
};

} // namespace

StoredSchedules stored_schedules(const MatrixProduct& product, const GpuTarget& gpu, const Options& options) {
    std::string text = to_text(product);
    if (options.accuracy != Accuracy::ordinary)
        text += fmt::format(", accuracy {}", static_cast<int>(options.accuracy));
    if (options.reorder_sass) text += ", reorder_sass";
    return {[text = std::move(text), device = gpu.identity.key] {
                return WisdomKey{device, text};
            },
            [product, gpu = target_gpu(gpu), accuracy = options.accuracy,
             reorder_sass = options.reorder_sass](const std::string& line) {
                Schedule schedule = planning::parse_schedule(line, product);
                planning::require_target(schedule, gpu.name);
                gemm::validate(schedule.gpu_gemm(), product, gpu);
                if (!is_allowed(schedule.gpu_gemm(), product,
                                {.gpu = gpu, .accuracy = accuracy, .reorder_sass = reorder_sass}))
                    throw UserError("'{}' is less accurate than asked for, or reorders its main loop", line);
                return schedule;
            },
            options.use_wisdom};
}

std::unique_ptr<Task> task_of(const MatrixProduct& product, const GpuTarget& gpu,
                              const TaskSetting& setting) {
    return std::make_unique<GpuGemmTask>(product, gpu, setting);
}

} // namespace swirl::search
