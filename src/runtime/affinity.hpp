#pragma once

#include <memory>
#include <vector>

namespace swirl::runtime {

/// The processors this thread may run on, in increasing order; empty where the system does not say.
std::vector<int> allowed_processors();

/// While alive, the thread that made it stays on one processor, so that a measurement is not moved between caches.
/// To be destroyed by the same thread.
class PinnedThread {
public:
    /// Pins to `processor`, or with −1 to the one the thread is on now.
    explicit PinnedThread(int processor = -1);
    ~PinnedThread();
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;

    /// False where the system refused or knows no such thing; the thread then runs as before.
    bool is_pinned() const { return before_ != nullptr; }

private:
    struct Mask;
    std::unique_ptr<Mask> before_; ///< where the thread might run before
};

} // namespace swirl::runtime
