#pragma once

#include "problem/problem.hpp"
#include "runtime/cuda/device.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace swirl::peers {

/// Why cuFFT cannot be compared with; empty where it can. It is loaded when first asked for: the library that
/// SWIRL_CUFFT names, else one of CUDA's toolkit (CUDA_HOME, /usr/local/cuda*), of Python's packages, or of the system.
std::string cufft_absent_because();

/// "cuFFT 12.0.0, /usr/local/cuda/lib64/libcufft.so.12"; for a cuFFT that is there.
std::string cufft_version();

/// A transform planned by cuFFT. It works in the device's primary context, as swirl does, so both can be given the same
/// memory and the same stream.
class CufftPlan {
public:
    /// UserError where cuFFT is not there, has no such transform, or refuses.
    CufftPlan(const Transform& problem, const runtime::GpuDevice& device, runtime::cuda::Stream stream);

    /// Puts the transform into the stream. A half spectrum that is read may be written over.
    void execute(const void* input, void* output) const { run(input, output, direction_); }
    /// The same in a direction of the caller's.
    void execute(const void* input, void* output, Direction direction) const {
        run(input, output, direction);
    }

    std::size_t workspace_bytes() const { return workspace_bytes_; }

private:
    struct Handle;
    void run(const void* input, void* output, Direction direction) const;

    runtime::GpuDevice device_;
    Direction direction_;
    std::shared_ptr<const Handle> handle_;
    std::size_t workspace_bytes_ = 0;
};

} // namespace swirl::peers
