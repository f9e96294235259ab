#pragma once

#include "emit/gpu_c/source.hpp"
#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <string>

namespace swirl::cli {

/// Restricts a kind of GPU to the features that the language can express and that all its GPUs are known to have;
/// co-residency of blocks is known only for NVIDIA's.
target::Gpu gpu_in(emit::GpuLanguage language, target::Gpu gpu);

/// A GPU transform as source text that does not depend on swirl.
struct StandaloneGpu {
    std::string source; ///< all kernels, and the host code that runs them; its comments describe the usage
    std::string header; ///< declares that host code
};
StandaloneGpu schedule_as_gpu_source(const Transform& problem, const planning::Schedule& schedule,
                                     emit::GpuLanguage language, const std::string& function);

} // namespace swirl::cli
