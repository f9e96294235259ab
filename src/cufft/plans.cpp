#include "cufft/plans.hpp"

#include <limits>
#include <mutex>
#include <utility>

namespace swirl::cufft {

Plans& Plans::of_process() {
    static constinit LazyValue<Plans> plans;
    return plans.get([] { return Plans(); });
}

Handle Plans::create() {
    auto plan = std::make_shared<Plan>();
    const std::lock_guard lock(mutex_);
    do last_ = last_ == std::numeric_limits<Handle>::max() ? 1 : last_ + 1;
    while (plans_.contains(last_));
    plans_.emplace(last_, std::move(plan));
    return last_;
}

std::shared_ptr<Plan> Plans::find(Handle handle) {
    const std::lock_guard lock(mutex_);
    const auto at = plans_.find(handle);
    require(at != plans_.end(), Status::invalid_plan);
    return at->second;
}

void Plans::destroy(Handle handle) {
    std::shared_ptr<Plan> plan; // destroyed without the lock
    const std::lock_guard lock(mutex_);
    const auto at = plans_.find(handle);
    require(at != plans_.end(), Status::invalid_plan);
    plan = std::move(at->second);
    plans_.erase(at);
}

} // namespace swirl::cufft
