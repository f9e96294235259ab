#include "distributed/gpu_pointer.hpp"

#include "base/environment.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstddef>

namespace swirl::distributed {
namespace {

/// Libraries that the process has loaded so far, each time counted.
unsigned long long count_of_loads() {
    unsigned long long count = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<unsigned long long*>(result) = info->dlpi_adds;
            return 1; // all entries say the same
        },
        &count);
    return count;
}

/// Searching a library takes 20 microseconds, so it is searched again only after another one was loaded.
bool has_driver() {
    static std::atomic<bool> is_there = false;
    static std::atomic<unsigned long long> loads_without = 0;
    if (is_there) return true;
    const unsigned long long loads = count_of_loads();
    if (loads == loads_without) return false;
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) dlclose(library);
    is_there = library != nullptr || environment_variable("SWIRL_CUDA_DRIVER") != nullptr;
    if (!is_there) loads_without = loads;
    return is_there;
}

/// That of the thread's context, so that no context is made on another GPU.
const runtime::GpuDevice& current_device() {
    const runtime::CudaDriver& driver = runtime::CudaDriver::of_host();
    runtime::cuda::DeviceHandle ordinal = 0;
    if (driver->cuCtxGetDevice(&ordinal) != runtime::cuda::success) ordinal = 0;
    return runtime::device_numbered(ordinal);
}

} // namespace

std::optional<int> gpu_of(const void* pointer) {
    if (pointer == nullptr || !has_driver()) return std::nullopt;
    try {
        const runtime::PointerLocation location = location_of(current_device(), pointer);
        if (location.kind == runtime::PointerLocation::Kind::gpu) return location.gpu;
    } catch (const Unavailable&) {} // a driver without a GPU
    return std::nullopt;
}

} // namespace swirl::distributed
