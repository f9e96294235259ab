#pragma once

#include "ir/builder.hpp"

#include <vector>

namespace swirl::emit {

/// Kernels that between them use everything that emitted C++ can say.
std::vector<ir::Program> sample_programs();

} // namespace swirl::emit
