#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "loops/gpu/regions.hpp"

/// Which shared vectors of a kernel may alias, and where its threads need a barrier.
namespace swirl::loops {

/// Aliases shared vectors with disjoint live ranges. With LaunchConfiguration::single_buffer, threads keep what they
/// have read in registers until all have read, so a call may also overwrite a vector that it is the last to read.
void share_arrays(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration);

/// Whether each iteration writes the entries that it reads, and no others.
bool keeps_entries(const Call& call);

/// Whether each iteration overwrites exactly what it reads.
bool is_in_place(const Call& call);

/// Whether threads must keep what they read in registers until all have read: the call permutes entries within one
/// shared vector.
bool overwrites_unread(const LoopProgram& loops, const Call& call);

/// Memory accesses since the last barrier.
class UnsynchronizedAccesses {
public:
    /// Whether a barrier must precede the call's reads, or its writes.
    bool needs_barrier_before_read(const Call& call) const;
    bool needs_barrier_before_write(const Call& call) const;
    void met() { calls_.clear(); }
    void add(const Call& call) { calls_.push_back(&call); }

private:
    std::vector<const Call*> calls_;
};

} // namespace swirl::loops
