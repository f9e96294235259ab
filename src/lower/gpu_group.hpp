#pragma once

#include "ir/builder.hpp"
#include "lower/gpu_parts.hpp"

#include <vector>

/// Kernels whose blocks are all there at once and, in groups, have one transform after the other between them.
namespace swirl::lower {

/// The blocks of a launch along x: `groups` times `blocks`.
struct GpuGroups {
    Integer blocks; ///< of a group
    Integer groups;
};

/// Which of several that share loops does what: block or group number `index`, a digit of the block's index in the launch.
struct Sharer {
    Integer divisor; ///< of the block's index
    Integer count;   ///< of sharers
};

/// Loops whose iterations are shared, as one of the sharers sees them: digits of its number, and loops that it runs itself.
class ShareOfLoops {
public:
    /// Of loops over so many iterations, outermost first. UserError where they cannot be shared evenly enough: inner loops
    /// must divide the sharers or be divided by them.
    ShareOfLoops(std::vector<Integer> counts, Sharer sharer, Integer all_blocks);

    /// Whether some sharer has several iterations.
    bool repeats() const;
    /// Whether all sharers have equally many.
    bool is_even() const;
    /// Calls body(indices) once, inside what it takes.
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
        Integer sharers = 1; ///< that differ in it
        Integer divisor = 1; ///< of the block's index
        Integer turns() const { return ceil_divide(count, sharers); }
    };
    std::vector<Level> levels_; ///< outermost first
    Level idle_{1};             ///< sharers beyond all iterations, of which the first works
    Integer all_blocks_;
};

/// Whether a part of the next transform may write what the last one of this transform still touches.
bool is_written_again(const GpuParts& parts);

/// The last step that reads, or the first that writes, a vector which parts hand on; the number of steps where there is none.
std::size_t last_reading(const GpuParts& parts, const GpuPart& part);
std::size_t first_writing(const GpuParts& parts, const GpuPart& part);

/// Makes buffers that serve at different times the same: by list, the k-th of each list is the k-th of the first.
void lay_over(ir::Program& program, const std::vector<std::vector<ir::Buffer>>& lists);

} // namespace swirl::lower
