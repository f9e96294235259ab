#pragma once

#include "base/fork_gate.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace swirl::planning {

/// Shares kernels among plans with the same description, as long as such a plan exists.
template <class Description, class Kernels> class SharedKernels {
public:
    template <class Make> std::shared_ptr<Kernels> find(const Description& description, Make&& make) {
        const std::lock_guard lock(mutex_);
        std::erase_if(known_, [](const Known& entry) { return entry.kernels.expired(); });
        for (const Known& entry : known_)
            if (entry.description == description)
                if (auto kernels = entry.kernels.lock()) return kernels;
        std::shared_ptr<Kernels> made = std::forward<Make>(make)();
        known_.push_back({description, made});
        return made;
    }

private:
    struct Known {
        Description description;
        std::weak_ptr<Kernels> kernels;
    };
    ForkSafeMutex mutex_;
    std::vector<Known> known_;
};

} // namespace swirl::planning
