#pragma once

#include "runtime/cuda_driver.hpp"
#include "target/gpu.hpp"

#include <memory>
#include <string>
#include <vector>

namespace swirl::runtime {

/// What a GPU is; finding it out makes no context, so it is quick and takes no memory there.
struct GpuFacts {
    int number = 0; ///< as CUDA counts them: from 0, those that CUDA_VISIBLE_DEVICES leaves
    std::string name;
    int capability_major = 0;
    int capability_minor = 0;
    std::size_t memory_bytes = 0;
};

/// All GPUs of the machine.
std::vector<GpuFacts> all_gpus(const CudaDriver& driver = CudaDriver::of_machine());

/// A line for each GPU, or one that says why there is none. Never throws what is wrong with the driver.
std::string describe_gpus();

/// A GPU in use: holds its primary context, the one that CUDA's runtime and other libraries share. Copies share the hold;
/// the last one gives it up. May be used by any number of threads.
class GpuDevice {
public:
    /// UserError where there is no such GPU, it is older than compute capability 7.0, or it is in use exclusively.
    explicit GpuDevice(int number = 0, const CudaDriver& driver = CudaDriver::of_machine());

    const GpuFacts& facts() const;
    const target::Gpu& target() const; ///< to generate for, with the device's own multiprocessors
    std::string description() const;   ///< "GPU 0 (NVIDIA H100 80GB HBM3)"
    int attribute(cuda::DeviceAttribute attribute) const;

    struct Memory {
        std::size_t free;
        std::size_t total;
    };
    Memory memory() const;
    void synchronize() const; ///< waits for all that was started on it; errors of kernels come out here

    const CudaDriver& driver() const;
    cuda::Context context() const;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

/// While alive, the GPU's context is the calling thread's current one; then again the one that was.
class CurrentGpu {
public:
    explicit CurrentGpu(const GpuDevice& device);
    ~CurrentGpu();
    CurrentGpu(const CurrentGpu&) = delete;
    CurrentGpu& operator=(const CurrentGpu&) = delete;

private:
    const CudaDriver& driver_;
};

/// For destructors: runs `release` with the GPU current. Where even that fails, as when the process is ending and the
/// driver already has, there is nothing left to release.
template <class Release> void release_on(const GpuDevice& device, Release release) noexcept {
    try {
        const CurrentGpu current(device);
        release();
    } catch (...) {}
}

} // namespace swirl::runtime
