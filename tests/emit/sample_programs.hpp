#pragma once

#include "ir/builder.hpp"

#include <vector>

namespace swirl::emit {

/// Kernels that between them use everything that emitted C++ can say.
std::vector<ir::Program> sample_programs();
/// Inductions that have values of their own in the last iterations, which kernels for GPUs have not.
ir::Program last_iterations();

} // namespace swirl::emit
