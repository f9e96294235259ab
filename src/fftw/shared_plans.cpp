#include "fftw/shared_plans.hpp"

#include <algorithm>
#include <mutex>

namespace swirl::fftw {
namespace {

constexpr std::size_t most_recent = 128;
/// Of a plan that is kept although nobody holds it.
constexpr Integer most_table_bytes = 1 << 18;

} // namespace

SharedPlans::PlanPointer SharedPlans::find(const std::string& request, Effort effort) {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(request);
    if (at == known_.end() || at->second.effort < effort) return nullptr;
    PlanPointer plan = at->second.plan.lock();
    if (plan != nullptr) keep(plan);
    return plan;
}

void SharedPlans::store(const std::string& request, Effort effort, const PlanPointer& plan) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_known_) {
        std::erase_if(known_, [](const auto& entry) { return entry.second.plan.expired(); });
        most_known_ = std::max(most_known_, 2 * known_.size());
    }
    known_.insert_or_assign(request, Known{plan, effort});
    keep(plan);
}

void SharedPlans::forget() {
    const std::lock_guard lock(mutex_);
    recent_.clear();
}

void SharedPlans::keep(const PlanPointer& plan) {
    if (plan->table_bytes() > most_table_bytes) return;
    if (const auto at = std::find(recent_.begin(), recent_.end(), plan); at != recent_.end())
        recent_.erase(at);
    else if (recent_.size() == most_recent)
        recent_.pop_back();
    recent_.push_front(plan);
}

} // namespace swirl::fftw
