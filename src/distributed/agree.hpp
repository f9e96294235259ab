#pragma once

#include <swirl/distributed/communicator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace swirl::distributed {

/// Collective: the texts that the ranks make, in the order of ranks. If one of them throws, all ranks throw an error of the same
/// type, that of the first rank which failed, with its number before the message.
std::vector<std::string> agree(Communicator& communicator, const std::function<std::string()>& make);
/// Collective: the text that rank 0 makes. Throws as `agree` does.
std::string agree_on_first(Communicator& communicator, const std::function<std::string()>& make);
/// Collective: the largest of the ranks' values.
double largest_of_ranks(Communicator& communicator, double value);

} // namespace swirl::distributed
