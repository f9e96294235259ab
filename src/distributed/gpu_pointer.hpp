#pragma once

#include <optional>

namespace swirl::distributed {

/// The GPU whose memory a pointer is of; none for the host's. Loads no driver: in a process without one there is no
/// such memory.
std::optional<int> gpu_of(const void* pointer);

} // namespace swirl::distributed
