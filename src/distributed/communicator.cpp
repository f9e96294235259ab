#include <swirl/distributed/communicator.hpp>

namespace swirl::distributed {

PendingExchange::~PendingExchange() = default;

Communicator::~Communicator() = default;

} // namespace swirl::distributed
