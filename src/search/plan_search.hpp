#pragma once

#include "problem/problem.hpp"
#include "search/candidates/subproblems.hpp"
#include "search/cost/cost_model.hpp"
#include "search/timer/transform_timer.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Finds the fastest schedule by timing.
namespace swirl::search {

/// Results of earlier searches on subproblems, and the sink for this one's. Both may be empty.
struct SubproblemWisdom {
    std::function<std::optional<TransformCandidate>(const Transform&)> lookup = {};
    std::function<void(const Transform&, const TransformCandidate&)> store = {};
};

struct SearchSetting {
    const target::Cpu& cpu;
    double seconds; ///< time budget, approximate; infinite: no limit
    const MachineModel& machine = fitted_machine_model();
    bool exhaustive = false; ///< every choice of every rule, not only the model's proposals
    std::vector<planning::TransformSchedule> extra_candidates = {}; ///< additional candidates
    std::function<void(const std::string&)> progress = {};
    SubproblemWisdom wisdom = {};
};

/// Dynamic programming over timed subproblems. Each transform that a rule leaves is timed once, as a problem of its
/// own, in the context in which it will run; a schedule takes the fastest tree of each. The most promising schedules for
/// the whole problem, the estimate's choice always among them, are then timed against each other, the winner's
/// neighbours against the winner, and the final winner against the estimate again, so that a schedule that was merely
/// lucky does not win.
class PlanSearch {
public:
    PlanSearch(const Transform& problem, TransformTimer& timer, SearchSetting setting);

    /// The winner; its time is infinite if the budget did not allow a comparison.
    TransformCandidate run();
    /// Whether the budget sufficed for all candidates.
    bool is_complete() const { return is_complete_; }

private:
    /// Breadth of the search.
    enum class Breadth : std::uint8_t { likely, all };
    /// A subproblem's best tree, and its time.
    struct Solved {
        rules::BreakdownTree tree;
        double seconds;      ///< infinite: not timed
        double model_cycles; ///< of the model's best tree
    };
    /// A breakdown of one pass, with its subproblems.
    struct Breakdown {
        Candidate candidate;
        std::vector<Subproblem> subproblems;
        Breadth inner = Breadth::likely; ///< breadth of the search over its subproblems
    };

    Solved solve(const Transform& subproblem, Breadth breadth, double deadline);
    Solved benchmark_subproblem(const Transform& subproblem, Breadth breadth, double deadline);
    void solve_subproblems(const std::vector<Breakdown>& breakdowns, double deadline);
    std::vector<Breakdown> breakdowns_of(const Transform& problem, const planning::DimensionPass& pass,
                                         Breadth breadth) const;
    static bool is_open(const Breakdown& breakdown, const Subproblem& subproblem);
    std::optional<Candidate> with_best_children(const Breakdown& breakdown);
    std::vector<rules::BreakdownTree> trees_for(const Transform& problem, const planning::DimensionPass& pass,
                                                Breadth breadth, double deadline);

    std::vector<TransformCandidate> schedule_candidates(double deadline);
    std::vector<TransformCandidate> neighbours_of(const planning::TransformSchedule& schedule) const;
    void refine(TransformCandidate& best, double deadline);
    void benchmark(const Transform& problem, std::vector<TransformCandidate>& candidates, double deadline);
    void report(const Transform& problem, const std::vector<TransformCandidate>& candidates,
                std::size_t which);
    static bool all_tried(const std::vector<TransformCandidate>& candidates);
    /// The fastest; the earlier of two unless the later is clearly faster.
    static std::size_t winner_of(const std::vector<TransformCandidate>& candidates);
    /// Adds a schedule of the whole problem unless it is present.
    void add_new(std::vector<TransformCandidate>& candidates, planning::TransformSchedule schedule);

    planning::TransformSchedule schedule_of(const planning::DimensionPass& pass,
                                            const rules::BreakdownTree& tree) const;
    double at(double fraction) const { return begin_ + fraction * setting_.seconds; }
    DataType scalar() const;

    const Transform& problem_;
    TransformTimer& timer_;
    SearchSetting setting_;
    double begin_;
    TransformCandidate estimated_;
    std::map<std::pair<std::string, Breadth>, Solved> solved_;
    std::set<std::string> in_progress_;
    std::set<std::string> tried_;
    bool is_compared_ = false; ///< at least two schedules of the whole problem were timed, or only one exists
    bool is_complete_ = true;
    double best_seconds_ = std::numeric_limits<double>::infinity(); ///< of the whole problem so far
    double last_report_;
};

} // namespace swirl::search
