#pragma once

#include "plan/transform/dimension_passes.hpp"
#include "search/candidates/cpu/subproblems.hpp"
#include "search/candidates/cpu/transforms.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/search.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace swirl::search {

/// Dynamic programming over timed subproblems, as FFTW's planner and Spiral's search do it. Each transform that a rule
/// leaves is timed once, as a problem of its own, in the context in which it will run; a schedule takes the fastest tree
/// of each.
class DynamicProgramming {
public:
    DynamicProgramming(const Transform& problem, const CpuTransformOptions& options, Benchmark& benchmark);

    /// Schedules of the whole problem, most promising first, found by this deadline.
    std::vector<planning::Schedule> schedules(double deadline);

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
    planning::Schedule schedule_of(const planning::DimensionPass& pass,
                                   const rules::BreakdownTree& tree) const;

    const Transform& problem_;
    const CpuTransformOptions& options_;
    Benchmark& benchmark_;
    DataType scalar_;
    std::map<std::pair<std::string, Breadth>, Solved> solved_;
    std::set<std::string> in_progress_;
};

} // namespace swirl::search
