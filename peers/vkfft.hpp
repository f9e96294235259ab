#pragma once

#include "problem/problem.hpp"
#include "runtime/cuda/device.hpp"

#include <memory>
#include <string>

namespace swirl::peers {

/// Why VkFFT cannot be compared with; empty where it can. It is a library of its own (peers/vkfft/), built where CMake finds
/// vkFFT.h (SWIRL_VKFFT_INCLUDE_DIR) and CUDA's toolkit, and loaded when first asked for: the one that SWIRL_VKFFT names, else
/// libswirl_vkfft.so beside the program or of the loader's path.
std::string vkfft_absent_because();

/// "VkFFT 1.3.4"; for one that is there.
std::string vkfft_version();

/// A transform planned by VkFFT, in the device's primary context.
class VkfftPlan {
public:
    /// UserError where VkFFT is not there or refuses, and for what is not asked of it here.
    VkfftPlan(const Transform& problem, const runtime::GpuDevice& device, runtime::cuda::Stream stream);

    /// Puts the transform into the stream.
    void execute(const void* input, void* output) const;

private:
    runtime::GpuDevice device_;
    std::shared_ptr<void> plan_;
};

} // namespace swirl::peers
