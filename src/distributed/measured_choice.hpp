#pragma once

#include "distributed/scheduled.hpp"

#include <swirl/distributed/plan.hpp>

namespace swirl::distributed {

/// Collective: the schedule of rank 0's wisdom, if there is one; else that of the model. With Effort::measure and above, the fastest of those that the model predicts to be, each timed on all
/// ranks within the time budget; wisdom then has it, for this machine, engine and number of ranks.
Schedule chosen(const Transform& problem, Communicator& communicator, const AllBoxes& boxes,
                const DistributedOptions& options);

} // namespace swirl::distributed
