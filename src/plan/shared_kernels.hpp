#pragma once

#include "base/fork_gate.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace swirl::planning {

/// Shares kernels among plans with the same description: as long as such a plan exists, and the most recent ones longer,
/// so that a program that makes the same plan again and again does not compile again and again.
template <class Description, class Kernels> class SharedKernels {
public:
    template <class Make> std::shared_ptr<Kernels> find(const Description& description, Make&& make) {
        const std::lock_guard lock(mutex_);
        for (const Known& entry : known_)
            if (entry.description == description)
                if (auto kernels = entry.kernels.lock()) {
                    keep(kernels);
                    return kernels;
                }
        std::erase_if(known_, [](const Known& entry) { return entry.kernels.expired(); });
        std::shared_ptr<Kernels> made = std::forward<Make>(make)();
        known_.push_back({description, made});
        keep(made);
        return made;
    }

private:
    static constexpr std::size_t most_kept = 32;
    struct Known {
        Description description;
        std::weak_ptr<Kernels> kernels;
    };
    /// Moves these to the front of the recent ones.
    void keep(const std::shared_ptr<Kernels>& kernels) {
        if (!recent_.empty() && recent_.front() == kernels) return;
        std::erase(recent_, kernels);
        recent_.push_front(kernels);
        if (recent_.size() > most_kept) recent_.pop_back();
    }

    ForkSafeMutex mutex_;
    std::vector<Known> known_;
    std::deque<std::shared_ptr<Kernels>> recent_;
};

} // namespace swirl::planning
