#include "api/build.hpp"
#include "api/options.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/transform_schedule.hpp"
#include "search/gpu_planner.hpp"
#include "search/wisdom/gpu_matrix_wisdom.hpp"

#include <limits>
#include <map>
#include <mutex>

namespace swirl::api {
namespace {

/// Default time budget for measuring, in seconds: the driver compiles about two hundred kernels in this time.
constexpr double usual_budget = 5;
constexpr std::size_t usual_candidates = 32, exhaustive_candidates = 256;

gemm::GpuGemmSchedule schedule_for(const MatrixProduct& product, const runtime::GpuDevice& device,
                                   const Options& options) {
    if (!options.schedule.empty()) return gemm::parse_gpu_schedule(options.schedule);
    const bool is_exhaustive = options.effort == Effort::exhaustive;
    return search::choose_gpu_schedule(
        product, device,
        {.measures = options.effort != Effort::estimate,
         .seconds = budget_of(options, usual_budget, std::numeric_limits<double>::infinity()),
         .most = is_exhaustive ? exhaustive_candidates : usual_candidates,
         .accuracy = options.accuracy,
         .reorder_sass = options.reorder_sass,
         .use_wisdom = options.use_wisdom,
         .use_cache = options.use_kernel_cache,
         .progress = progress_of(options)});
}

} // namespace

const runtime::GpuDevice& device_numbered(int ordinal) {
    const ForkSection section;
    static constinit ForkSafeMutex mutex;
    static auto& devices = *new std::map<int, runtime::GpuDevice>; // never destroyed: may be in use at exit
    const std::lock_guard lock(mutex);
    if (const auto known = devices.find(ordinal); known != devices.end()) return known->second;
    return devices.emplace(ordinal, runtime::GpuDevice(ordinal)).first->second;
}

planning::TransformSchedule schedule_for(const Transform& problem, const runtime::GpuDevice& device,
                                         bool use_wisdom) {
    return search::choose_gpu_schedule(problem, search::gpu_identity_of(device), use_wisdom);
}

std::vector<std::string> gpu_schedules(const MatrixProduct& product, int most, int ordinal,
                                       Accuracy accuracy) {
    validate(product);
    if (most < 0) throw UserError("most is {}; use 0 or more", most);
    std::vector<std::string> result;
    for (const gemm::GpuGemmSchedule& schedule : gemm::gpu_schedules(
             product, device_numbered(ordinal).target(), static_cast<std::size_t>(most), accuracy))
        result.push_back(to_string(schedule));
    return result;
}

std::shared_ptr<const planning::GpuPlan> build_on_gpu(const Transform& problem, const Options& options) {
    const ForkSection section;
    validate(problem);
    check(options);
    const LogSink sink(options.log);
    const runtime::GpuDevice& device = device_numbered(options.device.ordinal());
    if (!options.schedule.empty())
        return planning::GpuPlan::build(problem, planning::parse_transform_schedule(options.schedule), device,
                                        {.check = options.check, .use_cache = options.use_kernel_cache});
    return search::make_gpu_plan(problem, device,
                                 {.effort = options.effort,
                                  .time_budget_seconds = budget_of(options, usual_budget, 0),
                                  .use_wisdom = options.use_wisdom,
                                  .check = options.check,
                                  .use_cache = options.use_kernel_cache,
                                  .progress = progress_of(options)});
}

std::shared_ptr<const planning::GpuMatrixPlan> build_on_gpu(const MatrixProduct& product,
                                                            const Options& options) {
    const ForkSection section;
    validate(product);
    check(options);
    const LogSink sink(options.log);
    const runtime::GpuDevice& device = device_numbered(options.device.ordinal());
    return planning::GpuMatrixPlan::build(product, schedule_for(product, device, options), device,
                                          {.check = options.check, .use_cache = options.use_kernel_cache});
}

} // namespace swirl::api
