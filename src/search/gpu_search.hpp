#pragma once

#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "search/gpu_timekeeper.hpp"
#include "target/gpu.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

/// Finding a GPU's fastest recipe by timing.
namespace swirl::search {

struct GpuSearchSetting {
    const target::Gpu& gpu;
    double seconds;          ///< to be kept, roughly; infinite: as long as it takes
    bool exhaustive = false; ///< all candidates, and neighbours as long as one of them is better
    std::vector<planning::Recipe> rivals = {}; ///< to be tried besides
    std::function<void(const std::string&)> progress = {};
};

/// The estimate's recipe, the model's candidates for each step while the others stay at their best, and what earlier searches
/// found run against each other; then each step's winners together; then the winner's neighbours, as long as one is better;
/// and the last one against the estimate again, so that whoever was only lucky does not win.
class GpuSearch {
public:
    GpuSearch(const Problem& problem, GpuTimekeeper& timekeeper, GpuSearchSetting setting);

    /// The winner, with infinite seconds where there was no time to compare it with anything.
    GpuContender run();
    /// Whether time sufficed for all that was to be tried.
    bool is_complete() const { return is_complete_; }

private:
    /// A way to take the problem apart, with what its steps may be, the model's best first.
    struct Staging {
        std::vector<std::vector<planning::StepRecipe>> steps;
    };
    std::vector<Staging> stagings() const;
    planning::Recipe recipe_of(std::vector<planning::StepRecipe> steps) const;

    std::vector<GpuContender> contenders_of(const std::vector<Staging>& stagings);
    /// Of each staging, its steps' fastest together.
    void add_winning_steps(const std::vector<Staging>& stagings, const std::vector<GpuContender>& timed,
                           std::vector<GpuContender>& contenders);
    void refine(GpuContender& best, double until);
    void race(std::vector<GpuContender>& contenders, double until);
    void report(const std::vector<GpuContender>& contenders, std::size_t which);
    /// Once for each recipe.
    void add_new(std::vector<GpuContender>& contenders, planning::Recipe recipe);
    double at(double share) const { return begin_ + share * setting_.seconds; }

    const Problem& problem_;
    GpuTimekeeper& timekeeper_;
    GpuSearchSetting setting_;
    double begin_;
    std::set<std::string> tried_;
    bool is_compared_ = false; ///< at least two recipes were timed, or there is but one
    bool is_complete_ = true;
    double best_seconds_ = std::numeric_limits<double>::infinity();
    double last_report_;
};

/// Recipes that differ from this one in one number of one mapping, or in the order of two radices.
std::vector<planning::Recipe> gpu_neighbours(const planning::Recipe& recipe, const target::Gpu& gpu);

} // namespace swirl::search
