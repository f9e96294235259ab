#include "runtime/cuda/driver.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"

#include <dlfcn.h>

namespace swirl::runtime {
namespace {

constexpr const char* default_library = "libcuda.so.1";

std::string default_library_path() {
    const char* named = environment_variable("SWIRL_CUDA_DRIVER");
    return named != nullptr && *named != '\0' ? named : default_library;
}

std::string reason_of_loader() {
    const char* text = dlerror();
    return text == nullptr ? "no reason given" : text;
}

/// Functions of a library by the names under which it exports them.
class Exports {
public:
    explicit Exports(const std::string& library)
        : library_(library), handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr)
            throw Unavailable(
                "there is no NVIDIA driver: {}; install one, or let SWIRL_CUDA_DRIVER name its "
                "library",
                reason_of_loader());
    }

    template <class Function> bool has(Function*& function, const char* symbol) const {
        function = reinterpret_cast<Function*>(dlsym(handle_, symbol));
        return function != nullptr;
    }

    template <class Function> void need(Function*& function, const char* symbol, int since) const {
        if (has(function, symbol)) return;
        int version = 0;
        int (*get_version)(int*) = nullptr;
        const bool is_driver = has(get_version, "cuDriverGetVersion") && get_version(&version) == 0;
        if (!is_driver) throw Unavailable("{} is no NVIDIA driver: it lacks {}", library_, symbol);
        throw Unavailable(
            "the NVIDIA driver is too old: {} (CUDA {}) lacks {}; a driver for CUDA {} or later "
            "is needed",
            library_, cuda_version_text(version), symbol, cuda_version_text(since));
    }

private:
    std::string library_;
    void* handle_;
};

/// Sticky errors: afterwards a context answers every call with the same error.
bool is_final(cuda::Result result) {
    return result == cuda::illegal_address || result == cuda::launch_timeout || result == cuda::assertion ||
           (result >= cuda::hardware_stack_error && result <= cuda::launch_failed);
}

} // namespace

std::string cuda_version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

const CudaDriver& CudaDriver::of_host() {
    static const CudaDriver& driver = *new CudaDriver(default_library_path()); // outlives all users
    return driver;
}

CudaDriver::CudaDriver(const std::string& library) : library_(library) {
    load(library);
    initialise();
}

void CudaDriver::load(const std::string& library) {
    const Exports exports(library);
    cuda::Functions& f = functions_;
    exports.need(f.cuDriverGetVersion, "cuDriverGetVersion", 4000);
    exports.need(f.cuInit, "cuInit", 4000);
    exports.need(f.cuGetErrorName, "cuGetErrorName", 6000);
    exports.need(f.cuGetErrorString, "cuGetErrorString", 6000);
    exports.need(f.cuDeviceGetCount, "cuDeviceGetCount", 4000);
    exports.need(f.cuDeviceGet, "cuDeviceGet", 4000);
    exports.need(f.cuDeviceGetName, "cuDeviceGetName", 4000);
    exports.need(f.cuDeviceTotalMem, "cuDeviceTotalMem_v2", 4000);
    exports.need(f.cuDeviceGetAttribute, "cuDeviceGetAttribute", 4000);
    exports.need(f.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", 7000);
    exports.need(f.cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", 11000);
    exports.need(f.cuCtxGetCurrent, "cuCtxGetCurrent", 4000);
    exports.need(f.cuCtxPushCurrent, "cuCtxPushCurrent_v2", 4000);
    exports.need(f.cuCtxPopCurrent, "cuCtxPopCurrent_v2", 4000);
    exports.need(f.cuCtxGetDevice, "cuCtxGetDevice", 4000);
    exports.need(f.cuCtxSynchronize, "cuCtxSynchronize", 4000);
    exports.need(f.cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", 4000);
    exports.need(f.cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", 4000);
    exports.need(f.cuModuleLoadDataEx, "cuModuleLoadDataEx", 4000);
    exports.need(f.cuModuleUnload, "cuModuleUnload", 4000);
    exports.need(f.cuLinkCreate, "cuLinkCreate_v2", 6050);
    exports.need(f.cuLinkAddData, "cuLinkAddData_v2", 6050);
    exports.need(f.cuLinkComplete, "cuLinkComplete", 5050);
    exports.need(f.cuLinkDestroy, "cuLinkDestroy", 5050);
    exports.need(f.cuModuleGetFunction, "cuModuleGetFunction", 4000);
    exports.need(f.cuFuncGetAttribute, "cuFuncGetAttribute", 4000);
    exports.need(f.cuFuncSetAttribute, "cuFuncSetAttribute", 9000);
    exports.need(f.cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                 6050);
    exports.need(f.cuLaunchKernel, "cuLaunchKernel", 4000);
    exports.has(f.cuLaunchKernelEx, "cuLaunchKernelEx");
    exports.need(f.cuMemAlloc, "cuMemAlloc_v2", 4000);
    exports.need(f.cuMemFree, "cuMemFree_v2", 4000);
    exports.need(f.cuMemAllocHost, "cuMemAllocHost_v2", 4000);
    exports.need(f.cuMemFreeHost, "cuMemFreeHost", 4000);
    exports.has(f.cuMemAllocAsync, "cuMemAllocAsync");
    exports.has(f.cuMemFreeAsync, "cuMemFreeAsync");
    exports.need(f.cuMemGetInfo, "cuMemGetInfo_v2", 4000);
    exports.need(f.cuMemcpyHtoD, "cuMemcpyHtoD_v2", 4000);
    exports.need(f.cuMemcpyDtoH, "cuMemcpyDtoH_v2", 4000);
    exports.need(f.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", 4000);
    exports.need(f.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", 4000);
    exports.need(f.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", 4000);
    exports.need(f.cuMemcpyPeerAsync, "cuMemcpyPeerAsync", 4000);
    exports.need(f.cuMemsetD8Async, "cuMemsetD8Async", 4000);
    exports.need(f.cuPointerGetAttributes, "cuPointerGetAttributes", 7000);
    exports.has(f.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
    exports.need(f.cuStreamCreate, "cuStreamCreate", 4000);
    exports.need(f.cuStreamDestroy, "cuStreamDestroy_v2", 4000);
    exports.need(f.cuStreamSynchronize, "cuStreamSynchronize", 4000);
    exports.need(f.cuStreamQuery, "cuStreamQuery", 4000);
    exports.need(f.cuStreamWaitEvent, "cuStreamWaitEvent", 4000);
    exports.need(f.cuStreamIsCapturing, "cuStreamIsCapturing", 10000);
    exports.need(f.cuEventCreate, "cuEventCreate", 4000);
    exports.need(f.cuEventDestroy, "cuEventDestroy_v2", 4000);
    exports.need(f.cuEventRecord, "cuEventRecord", 4000);
    exports.need(f.cuEventSynchronize, "cuEventSynchronize", 4000);
    exports.need(f.cuEventElapsedTime, "cuEventElapsedTime", 4000);
    exports.has(f.cuStreamBeginCapture, "cuStreamBeginCapture_v2");
    exports.has(f.cuStreamEndCapture, "cuStreamEndCapture");
    exports.has(f.cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags");
    exports.has(f.cuGraphUpload, "cuGraphUpload");
    exports.has(f.cuGraphLaunch, "cuGraphLaunch");
    exports.has(f.cuGraphDestroy, "cuGraphDestroy");
    exports.has(f.cuGraphExecDestroy, "cuGraphExecDestroy");
}

void CudaDriver::initialise() {
    const cuda::Result result = functions_.cuInit(0);
    if (result == cuda::no_device)
        throw Unavailable(
            "there is no GPU that the NVIDIA driver ({}) can use; CUDA_VISIBLE_DEVICES may hide "
            "some",
            library_);
    if (result == cuda::stub_library)
        throw Unavailable(
            "{} is a stub that programs are linked with, no NVIDIA driver; let SWIRL_CUDA_DRIVER or "
            "the loader's path name the driver's library",
            library_);
    if (result != cuda::success)
        throw Unavailable("the NVIDIA driver ({}) does not start: {}", library_, describe(result));
    check(functions_.cuDriverGetVersion(&version_), "cuDriverGetVersion");
}

std::filesystem::path CudaDriver::compiler_library() const {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(functions_.cuInit), &info) == 0 || info.dli_fname == nullptr)
        return {};
    return std::filesystem::path(info.dli_fname).parent_path() / "libnvidia-ptxjitcompiler.so.1";
}

std::string CudaDriver::describe(cuda::Result result) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (functions_.cuGetErrorName(result, &name) != cuda::success || name == nullptr)
        return fmt::format("error {}, which this driver has no name for", result);
    if (functions_.cuGetErrorString(result, &text) != cuda::success || text == nullptr) text = "no text";
    return fmt::format("{} ({}){}", name, text,
                       is_final(result) ? "; nothing more can run on this GPU in this process" : "");
}

void CudaDriver::check(cuda::Result result, std::string_view call) const {
    if (result != cuda::success) refused(result, fmt::format("{} failed: {}", call, describe(result)));
}

void CudaDriver::refused(cuda::Result result, const std::string& message) {
    switch (result) {
    case cuda::invalid_value:
    case cuda::invalid_image:
    case cuda::invalid_ptx:
    case cuda::not_found:
    case cuda::launch_out_of_resources: throw InternalError(message);
    default: throw SystemError(message);
    }
}

void CudaDriver::too_old_for(std::string_view what, int needed_version) const {
    throw Unavailable("{} needs an NVIDIA driver for CUDA {} or later; this one is for CUDA {}", what,
                      cuda_version_text(needed_version), cuda_version_text(version_));
}

} // namespace swirl::runtime
