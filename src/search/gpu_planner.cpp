#include "search/gpu_planner.hpp"

#include <swirl/matrix_product.hpp>
#include <swirl/problem.hpp>
#include "base/error.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/model/wgmma_model.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "plan/gpu_kernels.hpp"
#include "plan/memory_need.hpp"
#include "problem/validate.hpp"
#include "runtime/kernel_cache.hpp"
#include "search/candidates/gpu_gemm.hpp"
#include "search/candidates/gpu_transforms.hpp"
#include "search/choose.hpp"
#include "search/cost/gpu_estimate.hpp"
#include "search/gpu_cached_choice.hpp"
#include "search/timer/gpu_timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace swirl::search {

using planning::Schedule;
using planning::TransformSchedule;

namespace {

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double gpu_recheck_seconds = 1.5;

/// Whether a GPU has the clusters and cooperative groups that a schedule needs.
bool is_for(const target::Gpu& gpu, const TransformSchedule& schedule) {
    for (const planning::PassSchedule& pass : schedule.passes)
        for (const loops::LaunchConfiguration& configuration : pass.configurations)
            if (configuration.cluster > std::max(1, gpu.largest_cluster) ||
                (configuration.group_blocks > 0 && !gpu.has_cooperative_groups))
                return false;
    return true;
}

/// What wisdom says about a transform: schedules for this kind of GPU that have the passes of the problem.
StoredSchedules::Parse parse_for(const Transform& problem, std::string gpu) {
    return [problem, gpu = std::move(gpu)](const std::string& text) {
        TransformSchedule schedule = planning::parse_transform_schedule(text);
        if (schedule.target != gpu)
            throw UserError("the schedule is for {}, not for {}", schedule.target, gpu);
        planning::gpu_passes(problem, schedule);
        return Schedule(std::move(schedule));
    };
}

/// One choice of a schedule for a transform.
class Choosing {
public:
    Choosing(const Transform& problem, const GpuIdentity& identity, const GpuPlannerOptions& options)
        : problem_(problem),
          identity_(identity),
          options_(options),
          stored_(stored_gpu_schedules(problem, identity, options.use_wisdom)),
          known_(stored_.lookup()) {}

    bool has_trusted() const { return known_ && known_->is_trusted(options_.effort); }
    /// Erases a wisdom entry that turned out to be invalid for this GPU.
    void erase() {
        stored_.erase();
        known_.reset();
    }

    /// `timer` is called only to time.
    TransformSchedule choose(const std::function<Timer&()>& timer) {
        const Problem whole = problem_;
        return choose_schedule({.problem = whole,
                                .stored = stored_,
                                .effort = options_.effort,
                                .seconds = options_.time_budget_seconds,
                                .recheck_seconds = gpu_recheck_seconds,
                                .estimate = [this] { return Schedule(estimate()); },
                                .space =
                                    [this](std::vector<Schedule> others) {
                                        return gpu_transform_space(
                                            problem_, {.gpu = identity_.gpu,
                                                       .exhaustive = options_.effort == Effort::exhaustive,
                                                       .others = std::move(others)});
                                    },
                                .timer = timer,
                                .progress = options_.progress,
                                .interrupt = options_.interrupt},
                               known_)
            .schedule.transform();
    }

private:
    TransformSchedule estimate() const {
        return cached_gpu_schedule(problem_, identity_.gpu,
                                   options_.use_cache ? runtime::KernelCache::of_user() : nullptr);
    }

    const Transform& problem_;
    const GpuIdentity& identity_;
    const GpuPlannerOptions& options_;
    StoredSchedules stored_;
    std::optional<StoredSchedule> known_;
};

Timer& no_timer() { throw InternalError("nothing is to be timed"); }

} // namespace

StoredSchedules stored_gpu_schedules(const Transform& problem, const GpuIdentity& identity, bool use_wisdom) {
    return {[problem, device = identity.key] {
                return WisdomKey{device, to_text(problem)};
            },
            parse_for(problem, std::string(identity.gpu.name)), use_wisdom};
}

TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity, Timer& timer,
                                      const GpuPlannerOptions& options) {
    validate(problem);
    return Choosing(problem, identity, options).choose([&]() -> Timer& { return timer; });
}

TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                      bool use_wisdom) {
    validate(problem);
    const GpuPlannerOptions options{.use_wisdom = use_wisdom, .use_cache = false};
    return Choosing(problem, identity, options).choose(no_timer);
}

TransformSchedule choose_gpu_schedule(const Transform& problem, const target::Gpu& gpu, bool use_wisdom) {
    validate(problem);
    StoredSchedules stored(
        [&] {
            return WisdomKey{std::string(gpu.name), to_text(problem)};
        },
        parse_for(problem, std::string(gpu.name)), use_wisdom);
    const auto fastest = stored.fastest_anywhere();
    if (fastest && is_for(gpu, fastest->schedule.transform())) return fastest->schedule.transform();
    return gpu_schedule(problem, gpu);
}

std::shared_ptr<const planning::GpuPlan> make_gpu_plan(const Transform& problem,
                                                       const runtime::GpuDevice& device,
                                                       const GpuPlannerOptions& options) {
    validate(problem);
    const GpuIdentity identity = gpu_identity_of(device);
    planning::require_gpu_memory(problem, identity.gpu,
                                 static_cast<Integer>(device.properties().memory_bytes));
    const auto build = [&](const TransformSchedule& schedule) {
        return planning::GpuPlan::build(problem, schedule, device,
                                        {.check = options.check, .use_cache = options.use_cache});
    };
    Choosing choosing(problem, identity, options);
    if (choosing.has_trusted()) {
        try {
            return build(choosing.choose(no_timer));
        } catch (const UserError&) {
            choosing.erase();
        } catch (const Unavailable&) { // it needs more than this driver has
            choosing.erase();
        }
    }
    const auto chosen = [&] { // frees its data before the plan allocates memory
        std::optional<GpuTimer> timer;
        return choosing.choose([&]() -> Timer& {
            if (!timer) timer.emplace(device, options.use_cache);
            return *timer;
        });
    };
    return build(chosen());
}

// ---- products

StoredSchedules stored_gpu_schedules(const MatrixProduct& product, const runtime::GpuDevice& device,
                                     const GpuScheduleOptions& options) {
    std::string text = to_text(product);
    if (options.accuracy != Accuracy::ordinary)
        text += fmt::format(", accuracy {}", static_cast<int>(options.accuracy));
    if (options.reorder_sass) text += ", reorder_sass";
    const GpuGemmOptions allowed{
        .gpu = device.target(), .accuracy = options.accuracy, .reorder_sass = options.reorder_sass};
    return {[text = std::move(text), &device] {
                return WisdomKey{gpu_identity_of(device).key, text};
            },
            [product, allowed](const std::string& line) {
                Schedule schedule = planning::parse_schedule(line, product);
                if (!std::holds_alternative<gemm::SimtGemm>(schedule.choices) &&
                    !std::holds_alternative<gemm::WgmmaGemm>(schedule.choices))
                    throw UserError("'{}' is no schedule of a product on a GPU", line);
                gemm::validate(schedule.gpu_gemm(), product, allowed.gpu);
                if (!is_allowed(schedule.gpu_gemm(), product, allowed))
                    throw UserError("'{}' is less accurate than asked for, or reorders its main loop", line);
                return schedule;
            },
            options.use_wisdom};
}

namespace {

enum class GemmKernelKind : std::uint8_t { simt, mma_sync, wgmma };
GemmKernelKind kind_of(const gemm::GpuGemmSchedule& schedule) {
    if (gemm::is_wgmma(schedule)) return GemmKernelKind::wgmma;
    return std::get<gemm::SimtGemm>(schedule).is_mma() ? GemmKernelKind::mma_sync : GemmKernelKind::simt;
}

} // namespace

std::vector<Rejection> other_gpu_schedules(const MatrixProduct& product, const gemm::GpuGemmSchedule& chosen,
                                           const target::Gpu& gpu, Accuracy accuracy) {
    constexpr int most = 5;
    const std::vector<gemm::GpuGemmSchedule> all =
        gemm::gpu_schedules(product, gpu, std::numeric_limits<std::size_t>::max(), accuracy);
    const double seconds = gemm::gpu_seconds(product, chosen, gpu);
    std::vector<Rejection> result;
    std::set<GemmKernelKind> seen = {kind_of(chosen)};
    int listed = 0;
    for (const gemm::GpuGemmSchedule& schedule : all) {
        if (schedule == chosen) continue;
        const bool is_new_kind = seen.insert(kind_of(schedule)).second;
        if (listed >= most && !is_new_kind) continue;
        ++listed;
        result.push_back(
            {to_string(schedule), fmt::format("estimated at {:.2f} times the cost",
                                              gemm::gpu_seconds(product, schedule, gpu) / seconds)});
    }
    if (seen.count(GemmKernelKind::wgmma) == 0)
        result.push_back(
            {"wgmma", gemm::no_wgmma_because(gemm::canonical_for_gpu(product).product, gpu, accuracy)});
    if (seen.count(GemmKernelKind::mma_sync) == 0)
        result.push_back({"mma.sync", seen.count(GemmKernelKind::wgmma) > 0
                                          ? "wgmma is faster wherever it multiplies these data types"
                                          : "no mma.sync of this GPU suits the data types, or extents"});
    const bool is_exact = accuracy == Accuracy::ordinary || accuracy == Accuracy::ordinary_in_range;
    if (is_exact && product.type_of_a() == DataType::float32 && gpu.tensor.tfloat32)
        result.push_back({"tf32", "11 significant bits of A and B are less than the required accuracy"});
    return result;
}

gemm::GpuGemmSchedule choose_gpu_schedule(const MatrixProduct& product, const runtime::GpuDevice& device,
                                          const GpuScheduleOptions& options) {
    const target::Gpu& gpu = device.target();
    const std::vector<gemm::GpuGemmSchedule> likely = gemm::gpu_schedules(product, gpu, 1, options.accuracy);
    if (likely.empty()) return {}; // C is empty
    const Problem whole = product;
    StoredSchedules stored = stored_gpu_schedules(product, device, options);
    std::optional<GpuTimer> timer;
    return choose_schedule(
               {.problem = whole,
                .stored = stored,
                .effort = options.effort,
                .seconds = options.seconds,
                .recheck_seconds = gpu_recheck_seconds,
                .estimate =
                    [&] {
                        const auto other = options.reorder_sass
                                               ? with_sass_reordering(likely.front(), product, gpu)
                                               : std::nullopt;
                        return other ? Schedule(gemm::GpuGemmSchedule(*other)) : Schedule(likely.front());
                    },
                .space =
                    [&](std::vector<Schedule> others) {
                        return gpu_gemm_space(product, {.gpu = gpu,
                                                        .most = options.most,
                                                        .accuracy = options.accuracy,
                                                        .reorder_sass = options.reorder_sass,
                                                        .others = std::move(others)});
                    },
                .timer = [&]() -> Timer& {
                    return timer ? *timer : timer.emplace(device, options.use_cache);
                },
                .progress = options.progress,
                .interrupt = options.interrupt},
               stored.lookup())
        .schedule.gpu_gemm();
}

} // namespace swirl::search
