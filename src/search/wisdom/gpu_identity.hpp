#pragma once

#include "runtime/cuda/device.hpp"
#include "target/gpu.hpp"

#include <string>

namespace swirl::search {

/// The properties of a GPU that decide how fast schedules run.
struct GpuIdentity {
    std::string key; ///< for wisdom lookup
    target::Gpu gpu; ///< target to generate code for
};

/// "NVIDIA H100 80GB HBM3, compute 9.0, 132 multiprocessors, CUDA 13". The driver's major version also identifies its
/// compiler.
std::string gpu_key(const std::string& name, int capability_major, int capability_minor, int multiprocessors,
                    int driver_version);
/// Identity of a device, with the target whose code it runs and its driver compiles.
GpuIdentity gpu_identity_of(const runtime::GpuDevice& device);

} // namespace swirl::search
