/// Ranks that are threads of one process with several GPUs, which copy from each other's memory.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <memory>
#include <vector>

namespace swirl::distributed {

/// Communicators of a group of ranks, element r for the thread that is rank r. Its arrays are memory of the GPU of
/// ordinal gpus[r]; several ranks may share one. An exchange waits until all ranks have called it, then enqueues
/// copies, each on the receiver's stream. It checks its arguments and ends as that of `on_threads` does; messages are
/// in the host's memory.
SWIRL_API std::vector<std::unique_ptr<Communicator>> on_peer_memory(const std::vector<int>& gpus);

} // namespace swirl::distributed
