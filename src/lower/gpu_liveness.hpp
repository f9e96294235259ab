#pragma once

#include "lower/gpu_parts.hpp"

/// Which shared vectors of a kernel may be the same memory, and where its threads must meet.
namespace swirl::lower {

/// Steps in a better order, and without what only moves entries to where they may as well stay. What single steps write
/// beside others into a vector they write just before it is read.
void simplify(const LoopProgram& loops, GpuPart& part);

/// Temporaries of several parts, in `common` loops around all of them, of which one takes the other's entries to the same
/// places become one: then I ⊕ A is A in place, and copies no kernel of their own.
void work_in_place(const LoopProgram& loops, std::vector<GpuPart>& parts, std::size_t common);

/// Shared vectors of which one has served when the other begins become one. With `held`, threads hold what they have read
/// until all have: then a step may also write over what it is the last to read.
void share_arrays(LoopProgram& loops, GpuPart& part, bool held);

/// Whether each iteration writes what it alone reads.
bool stays_in_place(const Call& call);

/// Whether threads must hold what they read until all have: a step within one shared vector that does not stay in place.
bool writes_over_others(const LoopProgram& loops, const Call& call);

/// What the threads have done to memory since they last met.
class Unmet {
public:
    /// Whether the threads must meet before a step reads what it reads, or writes what it writes.
    bool must_meet_to_read(const Call& call) const;
    bool must_meet_to_write(const Call& call) const;
    void met() { calls_.clear(); }
    void add(const Call& call) { calls_.push_back(&call); }

private:
    std::vector<const Call*> calls_;
};

} // namespace swirl::lower
