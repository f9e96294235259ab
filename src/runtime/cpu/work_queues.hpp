#pragma once

#include <atomic>
#include <vector>

namespace swirl::runtime {

/// Tasks of a team's members. Who has none left takes tasks that others have not begun (work stealing).
class WorkQueues {
public:
    /// `tasks` of each member.
    WorkQueues(int members, int tasks) : begun_(static_cast<std::size_t>(members)), tasks_(tasks) {}

    /// Calls task(owner, index) for tasks that nobody has begun: first this member's, then those of the other members 0 … members−1.
    template <class Task> void run(int member, int members, Task&& task) {
        for (int next = 0; next < members; ++next) {
            const int owner = (member + next) % members;
            std::atomic<int>& begun = begun_[static_cast<std::size_t>(owner)].count;
            // Members look before they write, so that finished queues stay in everybody's cache.
            while (begun.load(std::memory_order_relaxed) < tasks_) {
                const int index = begun.fetch_add(1, std::memory_order_relaxed);
                if (index < tasks_) task(owner, index);
            }
        }
    }

private:
    struct alignas(64) Begun {
        std::atomic<int> count = 0;
    };

    std::vector<Begun> begun_; ///< by owner
    int tasks_;
};

} // namespace swirl::runtime
