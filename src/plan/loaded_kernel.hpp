#pragma once

#include "ir/kernel_info.hpp"
#include "runtime/cuda_module.hpp"

#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// A kernel of a GPU with its machine code, ready to be launched by any number of threads at once.
class LoadedKernel {
public:
    LoadedKernel() = default;
    /// Without machine code yet.
    LoadedKernel(std::string entry, ir::KernelInfo info) : entry_(std::move(entry)), info_(std::move(info)) {}

    /// Takes its machine code, and what the driver knows of it. UserError where a block wants more than the GPU has, and
    /// where blocks that wait for each other do not run at once.
    void load(const runtime::GpuModule& module, const runtime::GpuDevice& device);

    /// Puts it into the stream, with a pointer to each parameter.
    void launch(std::span<void* const> parameters, const runtime::GpuStream& stream) const;

    const std::string& entry() const { return entry_; }
    const ir::KernelInfo& info() const { return info_; }

private:
    void require_at_once(const runtime::GpuDevice& device) const;

    std::string entry_;
    ir::KernelInfo info_;
    std::vector<runtime::GpuKernel> code_; ///< one, once it is loaded
};

} // namespace swirl::planning
