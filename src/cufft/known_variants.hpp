#pragma once

#include "base/fork_gate.hpp"
#include "cufft/variants.hpp"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace swirl::cufft {

/// What plans hold, and what they held last: programs plan the same transforms again and again, and destroy plans while the GPU
/// still runs them.
class KnownVariants {
public:
    static KnownVariants& of_process();

    /// Of this request on this GPU; made if no plan has it.
    std::shared_ptr<const Variants> get(const Request& request, int ordinal);

private:
    using Pointer = std::shared_ptr<const Variants>;
    Pointer find(const std::string& name);
    void store(const std::string& name, const Pointer& variants);
    /// Makes it the most recent; returns what is no longer kept, to be destroyed without the lock.
    std::vector<Pointer> keep(const Pointer& variants);

    ForkSafeMutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<const Variants>> known_;
    std::size_t most_known_ = 1024; ///< at this size those that nobody holds are removed
    std::deque<Pointer> recent_;    ///< most recent first
    Integer recent_bytes_ = 0;      ///< of their tables
};

} // namespace swirl::cufft
