#pragma once

#include "base/integer.hpp"

namespace swirl::runtime {

/// Memory limit of this process in bytes: the minimum of the host's memory, its control group's limit and RLIMIT_AS.
Integer memory_limit();

} // namespace swirl::runtime
