#pragma once

#include <swirl/distributed/communicator.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace swirl::distributed {

/// Memory that all ranks of a group read and write: a part for each rank.
class SharedArea {
public:
    /// Between ranks of one process. A rank that leaves an execution by an exception says so, and waits for those that still write.
    struct Writers {
        std::atomic<int> count = 0;
        std::atomic<bool> has_failed = false;
    };

    virtual ~SharedArea() = default;
    SharedArea(const SharedArea&) = delete;
    SharedArea& operator=(const SharedArea&) = delete;

    /// The start of a rank's part, aligned to cache lines.
    std::byte* part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
    Writers& writers() { return writers_; }

protected:
    SharedArea() = default;
    std::vector<std::byte*> parts_;

private:
    Writers writers_;
};

/// Collective: so many bytes of each rank. Null on all ranks if they share no memory, or the machine has not enough of it.
std::shared_ptr<SharedArea> share_memory(Communicator& communicator, std::size_t bytes);

} // namespace swirl::distributed
