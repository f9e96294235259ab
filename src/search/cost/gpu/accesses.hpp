#pragma once

#include "loops/gpu/threads.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <vector>

/// Memory access patterns of the first accesses of a kernel's warps.
namespace swirl::search {

class GpuAccesses {
public:
    /// Scalars in shared memory are `scalar_bytes` wide; `transforms`: the loop over a block's transforms.
    GpuAccesses(const loops::LoopProgram& loops, const std::optional<loops::Loop>& transforms,
                Integer scalar_bytes, const target::Gpu& gpu)
        : loops_(loops), transforms_(transforms), scalar_bytes_(scalar_bytes), gpu_(gpu) {}

    /// Adds one side of a step, with the given weight, in global memory; scalars there are `scalar_bytes` wide.
    void add_global(const loops::ThreadedIterations& shared, const loops::Memory& memory,
                    const std::vector<loops::Location>& locations, Integer scalar_bytes, double weight);
    /// Likewise in shared memory, `scalars` for all threads of the block.
    void add_shared(const loops::ThreadedIterations& shared, const loops::Memory& memory,
                    const std::vector<loops::Location>& locations, double scalars);

    /// Fraction of a warp's global memory requests that exceed the minimum needed, by side.
    double split() const { return split_; }
    /// Global memory segments: sum over contiguous ranges of 1/bytes, by side.
    double segments() const { return segments_; }
    /// Cycles of the banks for all accesses of a block, if `pitch` entries of padding separate transforms: a request takes
    /// as many as it has addresses in one bank.
    double shared_cycles(Integer pitch) const;
    double shared_requests() const; ///< the same without conflicts

private:
    /// A warp's first access of a step to one side in shared memory.
    struct Access {
        double requests;              ///< of all the block's warps in the step
        Integer elements;             ///< of a vector in shared memory
        bool gapless;                 ///< vectors follow each other without padding
        std::vector<Integer> offsets; ///< by thread, in scalars, within the thread's vector
        std::vector<Integer> vectors; ///< by thread
    };

    const loops::LoopProgram& loops_;
    const std::optional<loops::Loop>& transforms_;
    Integer scalar_bytes_;
    const target::Gpu& gpu_;
    double split_ = 0;
    double segments_ = 0;
    std::vector<Access> shared_;
};

} // namespace swirl::search
