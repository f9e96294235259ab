/// Communicators of C++ as handles of C: for adaptors, and for programs that have an engine of their own.
#pragma once

#include <swirl/distributed.h>
#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <functional>
#include <memory>

namespace swirl::distributed {

/// The handle of the communicator that `make` returns. Its exceptions become a status, and the message of
/// swirl_last_error().
SWIRL_API swirl_status communicator_for_c(const std::function<std::unique_ptr<Communicator>()>& make,
                                          swirl_communicator** communicator) noexcept;

} // namespace swirl::distributed
