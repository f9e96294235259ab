#include "search/candidates/gpu/gemm.hpp"
#include "base/error.hpp"
#include "gemm/gpu/model/model.hpp"
#include "problem/matrix_product.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu/gemm_rejections.hpp"
#include "search/options.hpp"
#include "search/tasks/gpu/gpu_task.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace swirl::search {

using planning::Schedule;

namespace {

/// The model's schedules to time.
constexpr std::size_t usual_candidates = 32, exhaustive_candidates = 256;

/// The GPU that code is made for.
const target::Gpu& target_gpu(const GpuTarget& gpu) {
    return gpu.device != nullptr ? gpu.device->target() : gpu.identity.gpu;
}

class GpuGemmTask : public GpuTask {
public:
    GpuGemmTask(const MatrixProduct& product, const GpuTarget& gpu, const TaskSetting& setting)
        : GpuTask(product, gpu, setting), product_(product) {}

    AnyPlan build(const ScheduleCandidate& chosen) override {
        return planning::GpuMatrixPlan::build(product_, chosen.schedule, device(),
                                              plan_options<planning::GpuMatrixPlanOptions>());
    }

    std::vector<StoredSchedules> entries() const override {
        if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return {};
        return {stored_schedules(product_, gpu(), options())};
    }

    Choice explained(Schedule schedule) const override {
        const target::Gpu& target = target_gpu(gpu());
        planning::require_target(schedule, target.name);
        if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return {std::move(schedule)};
        const gemm::GpuGemmSchedule kernel = schedule.gpu_gemm();
        gemm::validate(kernel, product_, target);
        return {std::move(schedule), gemm::gpu_seconds(product_, kernel, target),
                other_gpu_schedules(product_, kernel, target, options().accuracy)};
    }

private:
    ScheduleCandidate chosen() override {
        const std::vector<gemm::GpuGemmSchedule> likely =
            gemm::gpu_schedules(product_, target_gpu(gpu()), 1, options().accuracy);
        if (likely.empty())
            return {Schedule(target_gpu(gpu()).name,
                             gemm::GpuGemmSchedule{})}; // C is empty: any schedule is valid
        if (gpu().identity.key.empty()) return {of_any_such_gpu(likely.front())};
        return choose_by(
            stored_schedules(product_, gpu(), options()),
            {.estimate = [&] { return estimate(likely.front()); },
             .shortlist = [this] { return shortlist(); },
             .space = [this](std::vector<Schedule> others) { return space(std::move(others)); }});
    }

    std::vector<Schedule> shortlist() const {
        std::vector<Schedule> result;
        for (const gemm::GpuGemmSchedule& kernel :
             gemm::gpu_schedules(product_, target_gpu(gpu()), shortlist_length, options().accuracy))
            result.emplace_back(target_gpu(gpu()).name, kernel);
        result.front() = estimate(result.front().gpu_gemm());
        return result;
    }

    /// The fastest that wisdom holds for GPUs of this kind, if this one can run it; else the model's.
    Schedule of_any_such_gpu(const gemm::GpuGemmSchedule& likeliest) const {
        const auto fastest = stored_schedules(product_, gpu(), options()).fastest_anywhere();
        if (fastest && !gemm::infeasibility(fastest->schedule.gpu_gemm(), product_, target_gpu(gpu())))
            return fastest->schedule;
        return estimate(likeliest);
    }

    Schedule estimate(const gemm::GpuGemmSchedule& likeliest) const {
        const target::Gpu& target = target_gpu(gpu());
        if (options().reorder_sass)
            if (const auto other = with_sass_reordering(likeliest, product_, target))
                return {target.name, gemm::GpuGemmSchedule(*other)};
        return {target.name, likeliest};
    }

    SearchSpace space(std::vector<Schedule> others) const {
        const bool is_exhaustive = options().effort == Effort::exhaustive;
        return gpu_gemm_space(product_, {.gpu = target_gpu(gpu()),
                                         .most = is_exhaustive ? exhaustive_candidates : usual_candidates,
                                         .accuracy = options().accuracy,
                                         .reorder_sass = options().reorder_sass,
                                         .others = std::move(others)});
    }

    const MatrixProduct& product_;
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
