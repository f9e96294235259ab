#include "distributed/gpu_pointer.hpp"

#include "base/environment.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/memory.hpp"

#include <dlfcn.h>

namespace swirl::distributed {
namespace {

bool has_driver() {
    if (environment_variable("SWIRL_CUDA_DRIVER") != nullptr) return true;
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) dlclose(library);
    return library != nullptr;
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
