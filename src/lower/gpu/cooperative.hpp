#pragma once

#include "ir/builder.hpp"
#include "loops/gpu/regions.hpp"
#include "lower/lower.hpp"

#include <vector>

/// Cooperative kernels: all blocks are resident at once, and each group of blocks computes one transform after the
/// other.
namespace swirl::lower {

/// The blocks of a launch along x: `groups` times `blocks`.
struct CooperativeGroups {
    Integer blocks; ///< per group
    Integer groups;
};

/// Which of several sharers of loops does what: a block or group, numbered by a digit of the block's index in the
/// launch.
struct Sharer {
    Integer divisor; ///< of the block's index
    Integer count;   ///< number of sharers
};

/// Loops whose iterations are shared, as one sharer sees them: digits of its index, and loops that it runs itself.
class DistributedLoops {
public:
    /// For loops with these counts, outermost first. UserError if they cannot be shared evenly enough: for inner
    /// loops, the count must divide the number of sharers or vice versa.
    DistributedLoops(std::vector<Integer> counts, Sharer sharer, Integer all_blocks);

    /// Whether some sharer has several iterations.
    bool repeats() const;
    /// Whether all sharers have equally many iterations.
    bool is_even() const;
    /// Calls body(indices) once, inside the loops and conditions it needs.
    template <class Body> void emit(ir::Builder& builder, Body&& body) const {
        std::vector<Affine> indices;
        std::vector<ir::Condition> conditions;
        const int loops = open(builder, indices, conditions);
        if (conditions.empty())
            body(indices);
        else
            builder.if_then(std::move(conditions), [&] { body(indices); });
        for (int k = 0; k < loops; ++k) builder.close_loop();
    }

private:
    int open(ir::Builder& builder, std::vector<Affine>& indices,
             std::vector<ir::Condition>& conditions) const;

    struct Level {
        Integer count;       ///< iterations of the loop
        Integer sharers = 1; ///< that take different iterations of it
        Integer divisor = 1; ///< of the block's index
        Integer iterations_per_thread() const { return ceil_divide(count, sharers); }
    };
    std::vector<Level> levels_; ///< outermost first
    Level idle_{1};             ///< surplus sharers; only the first one works
    Integer all_blocks_;
};

/// Whether a region of the next transform may write what the last region of this transform still accesses.
bool is_written_again(const KernelRegions& regions);

/// The last call that reads, or the first that writes, a vector passed between regions; the number of calls if there
/// is none.
std::size_t last_reading(const KernelRegions& regions, const KernelRegion& region);
std::size_t first_writing(const KernelRegions& regions, const KernelRegion& region);

/// Aliases buffers with disjoint lifetimes: the k-th buffer of each list becomes the k-th of the first list.
void alias_buffers(ir::Program& program, const std::vector<std::vector<ir::Buffer>>& lists);

} // namespace swirl::lower
