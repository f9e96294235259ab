#include "search/wisdom/recent_plans.hpp"

#include "base/fork_gate.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace swirl::search {

namespace {

using PlanPointer = std::shared_ptr<const planning::Plan>;

/// Capacity: maximum number of plans and, because of their tables, maximum entries of a cached transform.
constexpr std::size_t max_plans = 32;
constexpr Integer max_entries = 65536;

Integer entries_of(const Transform& problem) {
    Integer entries = 1;
    for (const Dimension& dimension : problem.dimensions) entries *= dimension.length;
    return entries;
}

class RecentPlans {
public:
    PlanPointer find(const std::string& request) {
        const std::lock_guard lock(mutex_);
        const auto at =
            std::find_if(plans_.begin(), plans_.end(), [&](const Entry& e) { return e.request == request; });
        if (at == plans_.end()) return nullptr;
        plans_.splice(plans_.begin(), plans_, at);
        return at->plan;
    }

    void store(const std::string& request, const PlanPointer& plan) {
        if (entries_of(plan->problem()) > max_entries) return;
        const std::lock_guard lock(mutex_);
        plans_.push_front({request, plan});
        if (plans_.size() > max_plans) plans_.pop_back();
    }

private:
    struct Entry {
        std::string request;
        PlanPointer plan;
    };
    ForkSafeMutex mutex_;
    std::list<Entry> plans_; ///< most recent first
};

} // namespace

PlanPointer recent_plan(const std::string& request, const std::function<PlanPointer()>& build) {
    static RecentPlans recent;
    if (PlanPointer known = recent.find(request)) return known;
    PlanPointer plan = build();
    if (plan) recent.store(request, plan);
    return plan;
}

} // namespace swirl::search
