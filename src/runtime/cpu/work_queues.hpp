#pragma once

#include <atomic>
#include <vector>

namespace swirl::runtime {

/// Tasks of a team's members. Who has none left takes tasks that others have not begun (work stealing).
class WorkQueues {
public:
    explicit WorkQueues(int members) : begun_(static_cast<std::size_t>(members)) {}

    /// Calls task(owner, index) for tasks that nobody has begun, of `tasks` that each of the members 0 … members−1 has:
    /// first this member's, then those of others. With one task each there is nothing to take: it has begun long before another
    /// member has ended, and to look would cost more than the tasks of small teams take.
    template <class Task> void run(int member, int members, int tasks, Task&& task) {
        if (tasks == 1) return task(member, 0);
        for (int next = 0; next < members; ++next) {
            const int owner = (member + next) % members;
            std::atomic<int>& begun = begun_[static_cast<std::size_t>(owner)].count;
            // Members look before they write, so that finished queues stay in everybody's cache.
            while (begun.load(std::memory_order_relaxed) < tasks) {
                const int index = begun.fetch_add(1, std::memory_order_relaxed);
                if (index < tasks) task(owner, index);
            }
        }
    }

private:
    struct alignas(64) Begun {
        std::atomic<int> count = 0;
    };

    std::vector<Begun> begun_; ///< by owner
};

} // namespace swirl::runtime
