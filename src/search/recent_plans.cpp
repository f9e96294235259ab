#include "search/recent_plans.hpp"

#include "base/fork_gate.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace swirl::search {

namespace {

using PlanPointer = std::shared_ptr<const planning::Plan>;

/// Plans are kept up to this number and, for the sake of their tables, up to this number of entries of the transform.
constexpr std::size_t most_plans = 32;
constexpr Integer most_entries = 65536;

Integer entries_of(const Problem& problem) {
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

    void keep(const std::string& request, const PlanPointer& plan) {
        if (entries_of(plan->problem()) > most_entries) return;
        const std::lock_guard lock(mutex_);
        plans_.push_front({request, plan});
        if (plans_.size() > most_plans) plans_.pop_back();
    }

private:
    struct Entry {
        std::string request;
        PlanPointer plan;
    };
    ForkSafeMutex mutex_;
    std::list<Entry> plans_; ///< the latest first
};

} // namespace

PlanPointer recent_plan(const std::string& request, const std::function<PlanPointer()>& build) {
    static RecentPlans recent;
    if (PlanPointer known = recent.find(request)) return known;
    PlanPointer plan = build();
    if (plan) recent.keep(request, plan);
    return plan;
}

} // namespace swirl::search
