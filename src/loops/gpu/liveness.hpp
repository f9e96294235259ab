#pragma once

#include "loops/gpu/regions.hpp"

/// Which shared vectors of a kernel may alias, and where its threads need a barrier.
namespace swirl::loops {

/// Reorders calls and removes copies to locations where the entries may stay. Calls that write single entries of a
/// vector beside another writer move to just before the vector is read.
void simplify(const LoopProgram& loops, KernelRegion& region);

/// Merges temporaries of regions, in `common` loops around all of them, if a call maps one to the same locations of
/// the other: I ⊕ A becomes A in place, and copies need no kernel of their own.
void make_in_place(const LoopProgram& loops, std::vector<KernelRegion>& regions, std::size_t common);

/// Aliases shared vectors with disjoint live ranges. With `held`, threads keep what they have read in registers until
/// all have read, so a call may also overwrite a vector that it is the last to read.
void share_arrays(LoopProgram& loops, KernelRegion& region, bool held);

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
