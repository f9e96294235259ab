/// Ranks that are threads of one process.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace swirl::distributed {

/// Communicators of a group of ranks, element r for the thread that is rank r. Destroying one ends its rank: calls of
/// other ranks that would wait for it throw SystemError. `abort` ends the calls of all groups that were split from this one.
///
/// This engine checks every call. All ranks throw the same UserError where one gives an invalid block, where what a rank
/// sends is not what the other expects, or where ranks make different calls.
SWIRL_API std::vector<std::unique_ptr<Communicator>> on_threads(int ranks);

/// Runs `body` as each rank of a group, on a thread of its own, and returns when all have returned. Where a rank throws, the
/// calls of the others end, and its exception is thrown here: that of the rank which failed first.
SWIRL_API void run_ranks(int ranks, const std::function<void(Communicator&)>& body);

} // namespace swirl::distributed
