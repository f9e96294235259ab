#pragma once

#include "problem/data_type.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/stream.hpp"

#include <cstddef>

namespace swirl::search {

/// Memory of a GPU with random values in [-1, 1] of this data type: some thousand, repeated. On zeros kernels run
/// faster.
runtime::GpuBuffer random_array(const runtime::GpuStream& stream, DataType data_type, std::size_t bytes);

/// Writes such values into memory of the stream's device.
void fill_randomly(const runtime::GpuStream& stream, runtime::cuda::Address address, DataType data_type,
                   std::size_t bytes);

} // namespace swirl::search
