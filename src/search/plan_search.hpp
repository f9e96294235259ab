#pragma once

#include "problem/problem.hpp"
#include "search/cost_model.hpp"
#include "search/parts.hpp"
#include "search/timekeeper.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Finding the fastest recipe by timing.
namespace swirl::search {

/// What earlier searches found about parts, and where this one leaves what it finds. Both may be empty.
struct PartMemory {
    std::function<std::optional<Contender>(const Problem&)> recall = {};
    std::function<void(const Problem&, const Contender&)> keep = {};
};

struct SearchSetting {
    const target::Cpu& cpu;
    double seconds; ///< to be kept, roughly; infinite: as long as it takes
    const MachineModel& machine = fitted_machine();
    bool exhaustive = false; ///< every choice of every rule, not only what the model proposes
    std::vector<planning::Recipe> rivals = {}; ///< to be tried besides
    std::function<void(const std::string&)> progress = {};
    PartMemory memory = {};
};

/// Dynamic programming over timed parts. The transforms that a rule leaves are timed as problems of their own, in the
/// context in which they will run, each once; a recipe takes the fastest tree of each. The likeliest recipes for the
/// whole, the estimate's choice always among them, then run against each other; the winner's neighbours against the
/// winner; and the last one against the estimate again, so that whoever was only lucky does not win.
class PlanSearch {
public:
    PlanSearch(const Problem& problem, Timekeeper& timekeeper, SearchSetting setting);

    /// The winner, with infinite seconds where there was no time to compare it with anything.
    Contender run();
    /// Whether time sufficed for all that was to be tried.
    bool is_complete() const { return is_complete_; }

private:
    /// How much is considered.
    enum class Breadth : std::uint8_t { likely, all };
    /// A part's best tree, and its time.
    struct Solved {
        rules::BreakdownTree tree;
        double seconds;      ///< infinite: not timed
        double model_cycles; ///< by the model's best tree
    };
    /// A breakdown of one stage, with its parts.
    struct Breakdown {
        Candidate candidate;
        std::vector<Part> parts;
        Breadth inner = Breadth::likely; ///< in which its parts are looked into
    };

    Solved solve(const Problem& part, Breadth breadth, double until);
    Solved race_part(const Problem& part, Breadth breadth, double until);
    void solve_parts(const std::vector<Breakdown>& breakdowns, double until);
    std::vector<Breakdown> breakdowns_of(const Problem& problem, const planning::Stage& stage,
                                         Breadth breadth) const;
    static bool is_open(const Breakdown& breakdown, const Part& part);
    std::optional<Candidate> with_best_children(const Breakdown& breakdown);
    std::vector<rules::BreakdownTree> trees_for(const Problem& problem, const planning::Stage& stage,
                                                Breadth breadth, double until);

    std::vector<Contender> contenders_of(double until);
    std::vector<Contender> neighbours_of(const planning::Recipe& recipe) const;
    void refine(Contender& best, double until);
    void race(const Problem& problem, std::vector<Contender>& contenders, double until);
    void report(const Problem& problem, const std::vector<Contender>& contenders, std::size_t which);
    static bool all_tried(const std::vector<Contender>& contenders);
    /// The fastest; an earlier one unless a later one is clearly faster.
    static std::size_t winner_of(const std::vector<Contender>& contenders);
    /// Once for each recipe of the whole problem.
    void add_new(std::vector<Contender>& contenders, planning::Recipe recipe);

    planning::Recipe recipe_of(const planning::Stage& stage, const rules::BreakdownTree& tree) const;
    double at(double share) const { return begin_ + share * setting_.seconds; }
    ir::Scalar scalar() const;

    const Problem& problem_;
    Timekeeper& timekeeper_;
    SearchSetting setting_;
    double begin_;
    Contender estimated_;
    std::map<std::pair<std::string, Breadth>, Solved> solved_;
    std::set<std::string> in_progress_;
    std::set<std::string> tried_;
    bool is_compared_ = false; ///< at least two recipes of the whole problem were timed, or there is but one
    bool is_complete_ = true;
    double best_seconds_ = std::numeric_limits<double>::infinity(); ///< of the whole problem so far
    double last_report_;
};

} // namespace swirl::search
