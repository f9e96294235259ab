#pragma once

#include "ir/kernel_info.hpp"
#include "runtime/cuda/module.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// A GPU kernel with its machine code. Any number of threads can launch it at once.
class LoadedKernel {
public:
    LoadedKernel() = default;
    /// Machine code follows with load().
    LoadedKernel(std::string entry, ir::KernelInfo info) : entry_(std::move(entry)), info_(std::move(info)) {}

    /// Launches may start before the previous kernel in the stream has ended: the code waits for it.
    void start_early() { starts_early_ = true; }
    bool starts_early() const { return starts_early_; }

    /// Sets the machine code and the properties that the driver reports. Throws UserError if a block exceeds the GPU's
    /// limits, or if blocks of a cooperative group cannot all be resident.
    void load(const runtime::GpuModule& module, const runtime::GpuDevice& device);

    /// Enqueues the kernel into the stream, with a pointer to each parameter.
    void launch(std::span<void* const> parameters, const runtime::GpuStream& stream) const;

    const std::string& entry() const { return entry_; }
    const ir::KernelInfo& info() const { return info_; }

private:
    void require_cooperative(const runtime::GpuDevice& device) const;

    std::string entry_;
    ir::KernelInfo info_;
    bool starts_early_ = false;
    std::vector<runtime::GpuKernel> code_; ///< one element once loaded
};

} // namespace swirl::planning
