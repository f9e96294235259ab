#pragma once

#include "runtime/cuda/driver.hpp"
#include "target/gpu.hpp"

#include <memory>
#include <string>
#include <vector>

namespace swirl::runtime {

/// Properties of a GPU. Querying them creates no context, so it is fast and allocates no GPU memory.
struct GpuProperties {
    int index = 0; ///< CUDA's index: from 0, among those that CUDA_VISIBLE_DEVICES leaves
    std::string name;
    int capability_major = 0;
    int capability_minor = 0;
    std::size_t memory_bytes = 0;
};

/// All GPUs of the host.
std::vector<GpuProperties> all_gpus(const CudaDriver& driver = CudaDriver::of_host());

/// One line per GPU, or one that says why there is none. Never throws for driver problems.
std::string describe_gpus();

/// A GPU in use: retains its primary context, which CUDA's runtime and other libraries share. Copies share the
/// reference; the last one releases it. Thread-safe.
class GpuDevice {
public:
    /// Throws Unavailable if the GPU does not exist, is older than compute capability 7.0, or is in exclusive use.
    explicit GpuDevice(int index = 0, const CudaDriver& driver = CudaDriver::of_host());

    const GpuProperties& properties() const;
    const target::Gpu& target()
        const; ///< target for code generation, with the device's own multiprocessor count and rates
    std::string description() const; ///< "GPU 0 (NVIDIA H100 80GB HBM3)"
    int attribute(cuda::DeviceAttribute attribute) const;

    struct Memory {
        std::size_t free;
        std::size_t total;
    };
    Memory memory() const;
    void synchronize() const; ///< waits for all work started on it; reports kernel errors

    const CudaDriver& driver() const;
    cuda::Context context() const;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

/// While alive, makes the GPU's context current in the calling thread; restores the previous one afterwards.
class CurrentGpu {
public:
    explicit CurrentGpu(const GpuDevice& device);
    ~CurrentGpu();
    CurrentGpu(const CurrentGpu&) = delete;
    CurrentGpu& operator=(const CurrentGpu&) = delete;

private:
    const CudaDriver& driver_;
    bool is_pushed_ = false; ///< it was not current before
};

/// For destructors: runs `release` with the GPU current. If even that fails, as at process exit after the driver has
/// shut down, there is nothing left to release.
template <class Release> void release_on(const GpuDevice& device, Release release) noexcept {
    try {
        const CurrentGpu current(device);
        release();
    } catch (...) {}
}

} // namespace swirl::runtime
