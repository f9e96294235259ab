/// For those who write an engine: checks of what its callers give.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <string>

namespace swirl::distributed {

/// What is wrong with the arguments of an exchange that one rank can see: vectors of other lengths than the group, negative
/// bytes or offsets, null arrays, blocks that are received into others or into sent ones. Empty if nothing is.
SWIRL_API std::string error_in(const ExchangeBlocks& blocks, const void* send, const void* receive, int size);

} // namespace swirl::distributed
