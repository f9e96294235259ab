/// Checks of exchanges.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <string>

namespace swirl::distributed {

/// For those who write an engine. What is wrong with the arguments of an exchange that one rank can see: vectors of
/// other lengths than the group, negative bytes or offsets, null arrays, blocks that are received into others or into
/// sent ones. Empty if nothing is.
SWIRL_API std::string error_in(const ExchangeBlocks& blocks, const void* send, const void* receive, int size);

/// Collective. All ranks throw the same UserError if one of them gives an invalid block, or if what a rank sends is
/// not what the other expects. Engines but "threads" do not check this in `exchange`: a plan calls it once.
SWIRL_API void check_collectively(Communicator& communicator, const ExchangeBlocks& blocks, const void* send,
                                  const void* receive);

} // namespace swirl::distributed
