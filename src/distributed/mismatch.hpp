#pragma once

#include <swirl/distributed/communicator.hpp>

#include <functional>
#include <span>
#include <string>

namespace swirl::distributed {

/// The first block of an exchange that a rank sends and the other does not expect so; empty if there is none. Element
/// r of `blocks` is what rank r gives, valid by itself; `name` is how the message calls a rank.
std::string mismatch(std::span<const ExchangeBlocks> blocks, const std::function<std::string(int)>& name);

} // namespace swirl::distributed
