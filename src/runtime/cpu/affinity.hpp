#pragma once

#include <memory>
#include <vector>

namespace swirl::runtime {

/// The processors this thread may run on, in increasing order; empty if the system cannot tell.
std::vector<int> allowed_processors();

/// While alive, pins the thread that created it to one processor, so that a measurement is not migrated between caches.
/// The same thread must destroy it.
class PinnedThread {
public:
    /// Pins to `processor`; −1: to the processor the thread runs on now.
    explicit PinnedThread(int processor = -1);
    ~PinnedThread();
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;

    /// False if the system refused or does not support pinning; the thread then runs as before.
    bool is_pinned() const { return before_ != nullptr; }

private:
    struct Mask;
    std::unique_ptr<Mask> before_; ///< affinity before pinning
};

} // namespace swirl::runtime
