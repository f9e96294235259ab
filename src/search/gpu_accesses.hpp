#pragma once

#include "lower/gpu_threads.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <vector>

/// How the first accesses of a kernel's warps meet memory.
namespace swirl::search {

class GpuAccesses {
public:
    /// Of shared memory's scalars, which are `scalar_bytes` long; `transforms`: those of a block.
    GpuAccesses(const lower::LoopProgram& loops, const std::optional<lower::Loop>& transforms,
                Integer scalar_bytes, const target::Gpu& gpu)
        : loops_(loops), transforms_(transforms), scalar_bytes_(scalar_bytes), gpu_(gpu) {}

    /// One side of a step, of that weight, in global memory, whose scalars are `scalar_bytes` long.
    void add_global(const lower::SharedIterations& shared, const lower::Memory& memory,
                    const std::vector<lower::Location>& places, Integer scalar_bytes, double weight);
    /// Likewise in shared memory.
    void add_shared(const lower::SharedIterations& shared, const lower::Memory& memory,
                    const std::vector<lower::Location>& places, double weight);

    /// Requests of a warp to global memory beyond those that it needs, of those, by side.
    double split() const { return split_; }
    /// Over the bytes of global memory that lie together, by side.
    double pieces() const { return pieces_; }
    /// Addresses of an access in the same bank of shared memory beyond the first, by access, with so many entries left out between
    /// transforms.
    double conflicts(Integer pitch) const;

private:
    /// A warp's first access of a step to one side in shared memory.
    struct Access {
        double weight;
        Integer elements;             ///< of a vector there
        bool gapless;                 ///< vectors follow each other without a pitch
        std::vector<Integer> offsets; ///< by thread, in scalars, in the thread's vector
        std::vector<Integer> vectors; ///< by thread
    };

    const lower::LoopProgram& loops_;
    const std::optional<lower::Loop>& transforms_;
    Integer scalar_bytes_;
    const target::Gpu& gpu_;
    double split_ = 0;
    double pieces_ = 0;
    std::vector<Access> shared_;
};

} // namespace swirl::search
