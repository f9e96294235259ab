#pragma once

#include "base/integer.hpp"

namespace swirl::runtime {

/// Bytes that this process may have at most: the least of the machine's memory, its control group's and RLIMIT_AS.
Integer memory_limit();

} // namespace swirl::runtime
