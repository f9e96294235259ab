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

/// Time limit of a search in seconds: the one asked for, else `usual`, or for Effort::exhaustive 0, which is no limit.
double budget_of(const Options& options, double usual);

/// Reports progress of a search; empty if that is of no interest. The user's function may fork, and wait for threads that
/// fork.
std::function<void(const std::string&)> progress_of(const Options& options);

/// Throws Cancelled if the user wants that; empty if the user never does.
std::function<void()> interrupt_of(const Options& options);

/// Throws Cancelled if the user wants that.
void check_cancelled(const Options& options);

} // namespace swirl::search
