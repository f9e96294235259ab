/// Memory of GPUs for engines that know only the host's.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <memory>

namespace swirl::distributed {

/// For those who write an engine. A communicator that also takes memory of a GPU: exchanges of it wait until the
/// stream is done, copy blocks to the host and back where `inner` takes none, and are enqueued on the stream when
/// they return. Exchanges of the host's memory are passed on.
SWIRL_API std::unique_ptr<Communicator> with_device_memory(std::unique_ptr<Communicator> inner);

} // namespace swirl::distributed
