#pragma once

#include <swirl/distributed/plan.hpp>

#include <string>

namespace swirl::distributed {

/// This machine's key in wisdom.
std::string machine_key();
/// What measured times depend on besides the machine: engine, ranks and ranks of a node.
std::string group_key(const Communicator& communicator, const Machine& machine);

/// Collective. The options' machine if it is not the default one; else that of rank 0's wisdom for this group, which is measured
/// now if there is none and the effort is to measure; else the default.
Machine machine_in_use(Communicator& communicator, const DistributedOptions& options);

} // namespace swirl::distributed
