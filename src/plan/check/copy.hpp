#pragma once

#include "gemm/cpu/copy.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::planning {

/// The check of a copying kernel before its first use: it copies a sample with whole squares and remainders. Throws
/// InternalError, naming the kernel and the first wrong element.
void check_copy(const gemm::MatrixCopy& kernel, runtime::KernelFunction function);

} // namespace swirl::planning
