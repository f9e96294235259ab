#pragma once

#include "runtime/cuda/device.hpp"

namespace swirl::runtime {

/// The GPU with this CUDA ordinal. It is kept until the process ends, so that its context is created only once.
const GpuDevice& device_numbered(int ordinal);

} // namespace swirl::runtime
