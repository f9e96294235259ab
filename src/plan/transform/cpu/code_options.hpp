#pragma once

namespace swirl::planning {

/// What determines the code of a CPU kernel beside the trees of its schedule.
struct CodeOptions {
    bool scalar = false; ///< see TransformSchedule
    bool shared = false; ///< several threads may share iterations of its loops
};

} // namespace swirl::planning
