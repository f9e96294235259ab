#pragma once

#include <swirl/options.hpp>

#include "plan/gemm/cpu/plan.hpp"
#include "plan/gemm/gpu/plan.hpp"
#include "plan/transform/cpu/plan.hpp"
#include "plan/transform/gpu/plan.hpp"
#include "search/choice.hpp"
#include "search/choose.hpp"
#include "search/target.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// What a kind of problem on a kind of target brings to the planner.
namespace swirl::search {

using AnyPlan =
    std::variant<std::shared_ptr<const planning::Plan>, std::shared_ptr<const planning::MatrixPlan>,
                 std::shared_ptr<const planning::GpuPlan>, std::shared_ptr<const planning::GpuMatrixPlan>>;

/// How to plan. The options must be valid, and outlive the task.
struct TaskSetting {
    const Options& options;
    Timer* timer = nullptr; ///< null: one of the target
};

/// One problem on one target: its schedule, and its plan.
class Task {
public:
    virtual ~Task() = default;

    /// The schedule by the precedence of choose.hpp.
    ScheduleCandidate choose();
    /// The plan of a schedule. Throws UserError for one that does not suit the problem or the target.
    virtual AnyPlan build(const ScheduleCandidate& chosen) = 0;
    /// A schedule, chosen or given, with the kinds of kernels that were not taken, and why; on a GPU also with the
    /// model's estimate. Throws UserError for one that does not suit the problem or the target.
    virtual Choice explained(planning::Schedule schedule) const {
        return {std::move(schedule), 0, rejections_};
    }
    /// Erases the entry of wisdom that decided the last choice, as no plan can be built from it, or lets shipped wisdom
    /// decide no more. False if neither did.
    bool forget();
    /// The entries of wisdom that decide a choice, none for a problem that no search times. The task must outlive them.
    virtual std::vector<StoredSchedules> entries() const = 0;

protected:
    explicit Task(const TaskSetting& setting) : setting_(setting) {}
    const Options& options() const { return setting_.options; }
    Timer* given_timer() const { return setting_.timer; }

    /// choose(), by any number of calls of choose_schedule.
    virtual ScheduleCandidate chosen() = 0;
    void reject(std::string_view what, std::string_view why,
                std::optional<planning::Schedule> schedule = {}) {
        rejections_.push_back(
            {.what = std::string(what), .why = std::string(why), .schedule = std::move(schedule)});
    }
    /// choose_schedule with the effort and the callbacks of the options.
    ScheduleCandidate choose_schedule(ChoiceRequest request);
    /// Whether wisdom, the user's or shipped, decided a choice so far.
    bool follows_wisdom() const { return !followed_.empty() || follows_shipped_; }

private:
    /// Throws OutOfMemory if the arrays of a problem that is timed exceed the limit, OutOfTime if the time budget does.
    void require_benchmarks_within_limits(const Problem& problem, double budget) const;

    TaskSetting setting_;
    std::vector<Rejection> rejections_;
    std::vector<StoredSchedules> followed_; ///< entries that decided the last choice
    bool follows_shipped_ = false;          ///< shipped wisdom decided it
    bool use_shipped_ = true;
};

/// The problem must outlive its task. On a GPU without a device, tasks choose by wisdom and model, and build no plans.
std::unique_ptr<Task> task_of(const Transform& problem, const target::Cpu* cpu, const TaskSetting& setting);
std::unique_ptr<Task> task_of(const MatrixProduct& product, const target::Cpu* cpu,
                              const TaskSetting& setting);
std::unique_ptr<Task> task_of(const Transform& problem, const GpuTarget& gpu, const TaskSetting& setting);
std::unique_ptr<Task> task_of(const MatrixProduct& product, const GpuTarget& gpu, const TaskSetting& setting);

/// What wisdom knows about a problem on a GPU. Different accuracies of products have different entries; so do searches
/// that may reorder SASS main loops.
StoredSchedules stored_schedules(const Transform& problem, const GpuTarget& gpu, const Options& options = {});
StoredSchedules stored_schedules(const MatrixProduct& product, const GpuTarget& gpu,
                                 const Options& options = {});

/// What wisdom knows about schedules of packed blocks of a data type on a CPU. They are tuned on one thread, on square
/// products, and used at any number of threads, so that the arithmetic, and with it the bits, do not depend on that number.
StoredSchedules stored_blocks(DataType data_type, const target::Cpu& cpu, bool use_wisdom = true);

} // namespace swirl::search
