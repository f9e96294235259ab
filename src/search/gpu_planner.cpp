#include "search/gpu_planner.hpp"

#include "base/error.hpp"
#include "plan/gpu_kernels.hpp"
#include "plan/memory_need.hpp"
#include "problem/validate.hpp"
#include "runtime/kernel_cache.hpp"
#include "search/cost/gpu_estimate.hpp"
#include "search/gpu_cached_choice.hpp"
#include "search/gpu_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace swirl::search {

using planning::TransformSchedule;

namespace {

/// Time limit in seconds for checking another version's schedule against the estimate.
constexpr double gpu_recheck_seconds = 1.5;
/// A stored schedule is kept if it takes at most this multiple of the estimate's time: a smaller difference may be luck.
constexpr double gpu_as_fast = 1.01;

/// Whether a schedule has the passes of the problem.
bool fits(const Transform& problem, const TransformSchedule& schedule) {
    try {
        planning::gpu_passes(problem, schedule);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

/// Whether a GPU has the clusters and cooperative groups that a schedule needs.
bool is_for(const target::Gpu& gpu, const TransformSchedule& schedule) {
    for (const planning::PassSchedule& pass : schedule.passes)
        for (const loops::LaunchConfiguration& configuration : pass.configurations)
            if (configuration.cluster > std::max(1, gpu.largest_cluster) ||
                (configuration.group_blocks > 0 && !gpu.has_cooperative_groups))
                return false;
    return true;
}

/// One choice of a schedule.
class Choosing {
public:
    Choosing(const Transform& problem, const GpuIdentity& identity, const GpuPlannerOptions& options)
        : problem_(problem), identity_(identity), options_(options), wisdom_(options.use_wisdom) {}

    /// A schedule that needs no timing.
    std::optional<TransformSchedule> known() {
        stored_ = wisdom_.lookup(problem_, identity_);
        if (stored_ && is_enough(*stored_)) {
            if (fits(problem_, stored_->schedule)) return stored_->schedule;
            erase();
        }
        if (options_.effort == Effort::estimate)
            return cached_gpu_schedule(problem_, identity_.gpu,
                                       options_.use_cache ? runtime::KernelCache::of_user() : nullptr);
        return std::nullopt;
    }

    bool has_stored() const { return stored_.has_value(); }
    /// Erases a wisdom entry that turned out to be invalid for this problem or GPU.
    void erase() {
        wisdom_.erase(problem_, identity_);
        stored_.reset();
    }

    TransformSchedule measured(GpuTransformTimer& timer) {
        std::optional<GpuTransformCandidate> winner;
        if (stored_ && options_.effort == Effort::measure && !stored_->is_current)
            winner = rechecked(stored_->schedule, timer);
        FoundBy how = FoundBy::measure;
        if (!winner) {
            GpuSearch search(problem_, timer, setting());
            winner = search.run();
            if (search.is_complete()) how = found_by(options_.effort);
        }
        if (winner->is_timed()) wisdom_.store(problem_, identity_, winner->schedule, winner->seconds, how);
        return winner->schedule;
    }

private:
    /// Entries of another version were timed on other code, and estimated entries were never timed.
    bool is_enough(const GpuStoredTransformSchedule& known) const {
        if (!known.is_current || known.found_by == FoundBy::estimate) return false;
        return options_.effort != Effort::exhaustive || known.found_by == FoundBy::exhaustive;
    }

    /// Another version's schedule, if it is still as fast as the estimate's.
    std::optional<GpuTransformCandidate> rechecked(const TransformSchedule& schedule,
                                                   GpuTransformTimer& timer) const {
        std::vector<GpuTransformCandidate> both{{gpu_schedule(problem_, identity_.gpu)}, {schedule}};
        timer.benchmark(problem_, both,
                        timer.now() + std::min(options_.time_budget_seconds, gpu_recheck_seconds),
                        [](std::size_t) {});
        if (!both[1].is_timed() || both[1].seconds > gpu_as_fast * both[0].seconds) return std::nullopt;
        return both[1];
    }

    GpuSearchSetting setting() {
        const bool is_exhaustive = options_.effort == Effort::exhaustive;
        const bool has_budget = !is_exhaustive || options_.time_budget_seconds > 0;
        GpuSearchSetting setting{identity_.gpu, has_budget ? options_.time_budget_seconds
                                                           : std::numeric_limits<double>::infinity()};
        setting.exhaustive = is_exhaustive;
        setting.extra_candidates = wisdom_.elsewhere(problem_, identity_);
        if (stored_) setting.extra_candidates.insert(setting.extra_candidates.begin(), stored_->schedule);
        setting.progress = options_.progress;
        return setting;
    }

    const Transform& problem_;
    const GpuIdentity& identity_;
    const GpuPlannerOptions& options_;
    GpuTransformWisdom wisdom_;
    std::optional<GpuStoredTransformSchedule> stored_;
};

} // namespace

TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                      GpuTransformTimer& timer, const GpuPlannerOptions& options) {
    validate(problem);
    Choosing choosing(problem, identity, options);
    if (auto known = choosing.known()) return *known;
    return choosing.measured(timer);
}

TransformSchedule choose_gpu_schedule(const Transform& problem, const GpuIdentity& identity,
                                      bool use_wisdom) {
    validate(problem);
    const GpuPlannerOptions options{.use_wisdom = use_wisdom, .use_cache = false};
    return *Choosing(problem, identity, options).known(); // at least an estimate
}

TransformSchedule choose_gpu_schedule(const Transform& problem, const target::Gpu& gpu, bool use_wisdom) {
    validate(problem);
    const auto stored = GpuTransformWisdom(use_wisdom).lookup(problem, gpu);
    if (stored && fits(problem, stored->schedule) && is_for(gpu, stored->schedule)) return stored->schedule;
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
    std::optional<TransformSchedule> known = choosing.known();
    if (known && choosing.has_stored()) {
        const auto forget = [&] {
            choosing.erase();
            known = choosing.known();
        };
        try {
            return build(*known);
        } catch (const UserError&) {
            forget();
        } catch (const Unavailable&) { // it needs more than this driver has
            forget();
        }
    }
    if (known) return build(*known);
    const auto measured = [&] { // frees its data before the plan allocates memory
        DeviceTransformTimer timer(device, options.use_cache);
        return choosing.measured(timer);
    };
    return build(measured());
}

} // namespace swirl::search
