#include <swirl/distributed/communicator.hpp>

namespace swirl::distributed {

PendingExchange::~PendingExchange() = default;

bool PendingExchange::progress() { return false; }

Communicator::~Communicator() = default;

void Communicator::check_aborted() {}

SharedMemory Communicator::shared_memory() const { return SharedMemory::none; }

} // namespace swirl::distributed
