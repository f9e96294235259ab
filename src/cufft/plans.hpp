#pragma once

#include "base/fork_gate.hpp"
#include "cufft/plan.hpp"

#include <memory>
#include <unordered_map>

namespace swirl::cufft {

/// The plans of a process by handle. A handle is never used again while the process can count further.
class Plans {
public:
    static Plans& of_process();

    Handle create();
    /// Throws Refusal if no plan has this handle.
    std::shared_ptr<Plan> find(Handle handle);
    /// Calls in progress on other threads finish.
    void destroy(Handle handle);

private:
    ForkSafeMutex mutex_;
    std::unordered_map<Handle, std::shared_ptr<Plan>> plans_;
    Handle last_ = 0;
};

inline std::shared_ptr<Plan> plan_of(Handle handle) { return Plans::of_process().find(handle); }

} // namespace swirl::cufft
