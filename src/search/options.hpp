#pragma once

#include <swirl/options.hpp>

#include <functional>
#include <string>

/// What the options of a plan say to the planner.
namespace swirl::search {

/// Throws UserError for values that no option may have.
void check(const Options& options);

/// The number of threads asked for; throws UserError for an invalid value.
int threads_of(const Options& options);

/// Default time budgets in seconds, of an estimate's shortlist and of a search with Effort::measure.
struct UsualBudgets {
    double shortlist = 0;
    double measure;
};
/// Time limit of a search in seconds: the one asked for, else a usual one, or for Effort::exhaustive 0, which is no limit.
double budget_of(const Options& options, const UsualBudgets& usual);

/// On GPUs the driver compiles the whole shortlist in about the time of one kernel, in parallel.
constexpr double usual_gpu_shortlist_budget = 0.05;
/// Candidates of a shortlist, the estimate among them.
constexpr std::size_t shortlist_length = 4;

/// Reports progress of a search; empty if that is of no interest. The user's function may fork, and wait for threads that
/// fork.
std::function<void(const std::string&)> progress_of(const Options& options);

/// Whether the user wants no more of a search; empty if the user never says so.
std::function<bool()> enough_of(const Options& options);

/// Throws Cancelled if the user wants that; empty if the user never does.
std::function<void()> interrupt_of(const Options& options);

/// Throws Cancelled if the user wants that.
void check_cancelled(const Options& options);

} // namespace swirl::search
