#pragma once

#include <swirl/options.hpp>
#include <swirl/problem.hpp>

#include "search/tasks/task.hpp"

#include <memory>
#include <string>
#include <vector>

/// Searches that go on while the program runs.
namespace swirl::search {

/// A plan in use whose schedule the result of a search may replace. Called on the thread of the search.
class LivingPlan {
public:
    virtual ~LivingPlan() = default;
    virtual bool may_be_replaced() const = 0;
    virtual std::string schedule() const = 0;
    /// `plan` is of the same problem and options, and checked.
    virtual void replace(AnyPlan plan) = 0;
};

struct BackgroundSearch {
    Problem problem;
    Options options;                     ///< with Effort::background, which require_background has accepted
    std::weak_ptr<LivingPlan> plan = {}; ///< with Options::swap_schedule
};

/// Throws Unsupported for a device without searches in the background, and UserError for one that nothing could come of.
void require_background(const Options& options);

/// How the plan is made that is used while the search goes on.
Options options_until_found(const Options& options);

/// Queues a search, unless an equal one is pending that only wisdom learns from. Never fails: if no thread can be started, it logs that and no
/// search takes place.
void search_in_background(BackgroundSearch search);

/// The problems of the queue, the one that is searched for first.
std::vector<Problem> pending_searches();
/// Whether the queue became empty within so many seconds.
bool wait_for_searches(double seconds);
/// Ends all searches of the queue. Returns how many.
Integer stop_searches();

} // namespace swirl::search
