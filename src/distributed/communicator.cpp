#include <swirl/distributed/communicator.hpp>

namespace swirl::distributed {

PendingExchange::~PendingExchange() = default;

Communicator::~Communicator() = default;

void Communicator::check_aborted() {}

} // namespace swirl::distributed
