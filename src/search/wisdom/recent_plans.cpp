#include "search/wisdom/recent_plans.hpp"

#include "base/fork_gate.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

namespace swirl::search {

namespace {

using planning::Schedule;
using PlanPointer = std::shared_ptr<const planning::Plan>;

constexpr std::size_t max_plans = 32;
/// Of a transform whose plan is kept, because of its tables.
constexpr Integer max_transform_entries = 65536;

Integer entries_of(const Transform& problem) {
    Integer entries = 1;
    for (const Dimension& dimension : problem.dimensions) entries *= dimension.length;
    return entries;
}

/// The values that were asked for most recently.
template <class Value> class MostRecent {
public:
    std::optional<Value> find(const std::string& request) {
        const std::lock_guard lock(mutex_);
        const auto at = std::find_if(entries_.begin(), entries_.end(),
                                     [&](const Entry& e) { return e.request == request; });
        if (at == entries_.end()) return std::nullopt;
        entries_.splice(entries_.begin(), entries_, at);
        return at->value;
    }

    void store(const std::string& request, const Value& value) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({request, value});
        if (entries_.size() > max_plans) entries_.pop_back();
    }

private:
    struct Entry {
        std::string request;
        Value value;
    };
    ForkSafeMutex mutex_;
    std::list<Entry> entries_; ///< most recent first
};

} // namespace

PlanPointer recent_plan(const std::string& request, const std::function<PlanPointer()>& build) {
    static auto& recent = *new MostRecent<PlanPointer>; // never destroyed: may be in use at exit
    if (const auto known = recent.find(request)) return *known;
    PlanPointer plan = build();
    if (entries_of(plan->problem()) <= max_transform_entries) recent.store(request, plan);
    return plan;
}

Schedule recent_estimate(const std::string& request, const std::function<Schedule()>& estimate) {
    static auto& recent = *new MostRecent<Schedule>;
    if (const auto known = recent.find(request)) return *known;
    Schedule schedule = estimate();
    recent.store(request, schedule);
    return schedule;
}

} // namespace swirl::search
