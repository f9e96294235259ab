#pragma once

#include "base/integer.hpp"
#include "loops/twiddle.hpp"

namespace swirl::loops {

/// Which of the caller's vectors are staged through shared memory: those read, those written.
enum class SmemStaging : std::uint8_t { none, in, out, both };
constexpr bool stages(SmemStaging staged, SmemStaging side) {
    return staged == side || staged == SmemStaging::both;
}

/// Launch configuration of one kernel.
struct LaunchConfiguration {
    Integer threads; ///< per block
    Integer transforms =
        1; ///< iterations of the innermost loop around all calls that a block processes at once
    Integer smem_pad_interval =
        0; ///< entries of shared memory after which one is skipped to avoid bank conflicts; 0: never
    Integer smem_vector_pad = 0; ///< padding entries between the vectors of neighbouring transforms
    /// Uses as few shared vectors between calls as possible, one for a chain: threads keep what they read in registers
    /// until all have read. Otherwise two vectors alternate.
    bool single_buffer = false;
    Integer cluster =
        1; ///< blocks per cluster that share a transform through DSMEM, with all regions in one kernel; 1: no cluster
    /// Stages a block's entries between global memory and the calls through shared memory: neighbouring threads copy
    /// neighbouring entries.
    SmemStaging staged = SmemStaging::none;
    Roots roots = Roots::by_size; ///< for the kernel's tables
    /// All regions in one kernel whose blocks compute whole transforms (implied by a cluster).
    bool fused = false;
    /// All regions in one cooperative kernel that communicate through global memory that stays in L2: `group_blocks`
    /// blocks compute one transform after the other, and `cooperative_groups` groups are active at once; 0: separate
    /// kernels. The first kernel's configuration counts.
    Integer group_blocks = 0;
    Integer cooperative_groups = 0;
    /// A group's blocks run the first of two regions of a transform before the second region of the previous
    /// transform.
    bool pipelined = false;
    bool evict_last = false; ///< vectors passed within a group get the evict_last cache hint
    /// For all kernels: transforms nested in a factor stay in its kernel and run at each of its calls.
    bool fuse_nested = false;
    /// For all kernels: calls without loops around them that pass on more elements than this become separate kernels;
    /// 0: never.
    Integer separate_above = 0;
    Integer resident = 0; ///< resident blocks per multiprocessor: see ir::Launch
    bool operator==(const LaunchConfiguration&) const = default;
};

} // namespace swirl::loops
