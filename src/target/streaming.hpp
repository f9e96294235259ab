#pragma once

#include "target/cpu.hpp"

namespace swirl::target {

/// Arrays with more bytes are written past the caches. It saves the read of each line, but later reads come from memory,
/// not from the cache that cores share: so it is for arrays beyond a core's share of that cache.
Integer streaming_bytes(const Cpu& cpu);

} // namespace swirl::target
