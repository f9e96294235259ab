#include <swirl/device.hpp>

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "runtime/cuda/device.hpp"
#include "runtime/cuda/devices.hpp"
#include "target/cpu.hpp"

#include <unistd.h>

#include <exception>
#include <vector>

namespace swirl {

std::string Device::text() const {
    return !is_gpu_ ? "cpu" : ordinal_ == 0 ? "gpu" : fmt::format("gpu:{}", ordinal_);
}

namespace {

runtime::GpuProperties properties_of(int ordinal) {
    const ForkSection section;
    const std::vector<runtime::GpuProperties> gpus = runtime::all_gpus();
    if (ordinal < 0 || ordinal >= static_cast<int>(gpus.size()))
        throw Unavailable("there is no GPU {}: ordinals are 0 to {}", ordinal, gpus.size() - 1);
    return gpus[static_cast<std::size_t>(ordinal)];
}

std::size_t pages(int name) {
    const long count = sysconf(name), bytes = sysconf(_SC_PAGESIZE);
    return count < 0 || bytes < 0 ? 0 : static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes);
}

} // namespace

std::string Device::name() const {
    return is_gpu_ ? properties_of(ordinal_).name : std::string(target::host_cpu().name);
}

std::size_t Device::memory_bytes() const {
    return is_gpu_ ? properties_of(ordinal_).memory_bytes : pages(_SC_PHYS_PAGES);
}

std::size_t Device::free_memory_bytes() const {
    return is_gpu_ ? runtime::device_numbered(ordinal_).memory().free : pages(_SC_AVPHYS_PAGES);
}

int gpu_count() noexcept {
    try {
        const ForkSection section;
        return static_cast<int>(runtime::all_gpus().size());
    } catch (...) {
        return 0;
    }
}

std::string why_no_gpu() {
    try {
        const ForkSection section;
        return runtime::all_gpus().empty() ? "the NVIDIA driver lists no GPU" : "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace swirl
