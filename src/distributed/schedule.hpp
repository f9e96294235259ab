#pragma once

#include "distributed/factors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::distributed {

/// An axis divided into parts. A list of cuts is a process grid, its slowest coordinate first.
struct Cut {
    std::size_t axis;
    Integer parts;
    bool operator==(const Cut&) const = default;
};

/// Which transforms are done while the elements are divided in one way.
struct Stage {
    enum class Boxes : std::uint8_t {
        input,  ///< the caller's
        output, ///< the caller's
        grid,   ///< those of `cuts`; without any, all on rank 0
    };
    Boxes boxes = Boxes::grid;
    std::vector<Cut> cuts = {};
    std::vector<std::size_t> transforms = {}; ///< axes, in this order
    bool operator==(const Stage&) const = default;
};

/// How a transform is computed by several ranks: stages, with an exchange between each two.
struct Schedule {
    bool is_four_step = false; ///< of one dimension, as a matrix
    std::vector<Stage> stages; ///< the first has the input's boxes
    bool operator==(const Schedule&) const = default;
};

/// Such as "in[2,1] > 0/8,1/8[0] > out": the boxes of a stage, then its transforms. 0/8 divides axis 0 into 8 parts. "matrix:" in
/// front says that a transform of one dimension is a matrix.
std::string to_text(const Schedule& schedule);
/// Throws SyntaxError.
Schedule parse_schedule(std::string_view text);

/// All boxes of a grid over an index space.
Decomposition decomposition_of(const std::vector<Cut>& cuts, const std::vector<Integer>& lengths, int ranks);

/// With all boxes ending at another length of the last axis.
Decomposition with_last_axis(Decomposition decomposition, Integer length);

/// Whether each rank has the same elements, in whatever order.
bool has_same_boxes(const Decomposition& a, const Decomposition& b);

/// A schedule with the boxes of its stages.
struct StageBoxes {
    Decomposition before; ///< the stage's transforms
    Decomposition after;
    std::vector<bool> done_before; ///< axes transformed
    std::vector<bool> done_after;
};
/// Throws UserError if the schedule does not compute the transform from these boxes.
std::vector<StageBoxes> boxes_of(const Schedule& schedule, const Factors& factors, const Decomposition& input,
                                 const Decomposition& output);

} // namespace swirl::distributed
