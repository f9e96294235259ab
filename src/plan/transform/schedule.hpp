#pragma once

#include "loops/gpu/launch_configuration.hpp"
#include "rules/rule.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::planning {

/// One pass: transforms along one of the problem's dimensions, with loops over all the others.
struct PassSchedule {
    std::size_t dimension = 0;
    rules::BreakdownTree tree;
    std::vector<loops::LaunchConfiguration> configurations = {}; ///< one per kernel on a GPU; none on a CPU
    bool operator==(const PassSchedule&) const = default;
};

/// Every choice made for a transform; together with the problem and the target it determines the code.
struct TransformSchedule {
    std::vector<PassSchedule> passes; ///< in order of execution
    bool scalar = false;              ///< no loop is vectorised: scalar CPU instructions only
    Integer chunk =
        0; ///< GPU: iterations of the outermost batch loop that all passes process before the next chunk; 0: all
    bool operator==(const TransformSchedule&) const = default;
};

/// One line, e.g. "0 stockham(32,32)", "scalar; 0 …", "0 stockham(16,16) on 128x8 pad 32", "chunk 8; 0 …"; "; " separates
/// passes, ", " the launch configurations of a pass's kernels. Round-trips.
std::string to_string(const TransformSchedule& schedule);
/// "128x2 pad 32 single_buffer": threads of a block x transforms they share, then other choices by name: "pad" and
/// "pitch" are in entries of shared memory (smem_pad_interval, smem_vector_pad), others have the names of their
/// members; "staged" is for both sides, "staged in" and "staged out" for one; "roots loaded" and "roots multiplied" are
/// Roots.
std::string to_string(const loops::LaunchConfiguration& configuration);
/// `text` without blanks at its ends.
std::string_view trimmed(std::string_view text);
/// Throws UserError with the position and what was expected.
TransformSchedule parse_transform_schedule(std::string_view text);

} // namespace swirl::planning
