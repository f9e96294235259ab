#pragma once

#include "runtime/cuda/abi.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace swirl::runtime {

/// The CUDA driver, loaded on first use. Neither building swirl nor running it without a GPU needs it.
class CudaDriver {
public:
    /// The driver of this host: libcuda.so.1, or the library that SWIRL_CUDA_DRIVER names. Loaded and initialised once,
    /// by whichever thread asks first. Throws Unavailable that says what is missing; the next call then tries again.
    static const CudaDriver& of_host();

    /// Loads and initialises a library. It is never unloaded, because a driver has threads of its own. Throws Unavailable
    /// if the library is missing or too old, finds no GPU, or does not start.
    explicit CudaDriver(const std::string& library);
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    const cuda::Functions& operator*() const { return functions_; }
    const cuda::Functions* operator->() const { return &functions_; }
    int version() const { return version_; } ///< supported CUDA version: 1000·major + 10·minor

    /// The driver's compiler library, which is loaded when the first PTX is compiled; empty if unknown.
    std::filesystem::path compiler_library() const;

    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)", and a remedy if known.
    std::string describe(cuda::Result result) const;
    /// Throws SystemError or InternalError that names the call, unless it succeeded.
    void check(cuda::Result result, std::string_view call) const;
    /// Throws InternalError with this message if the result says that swirl's request was wrong, else SystemError.
    [[noreturn]] static void refused(cuda::Result result, const std::string& message);
    /// Throws Unavailable: `what` needs a driver for a later version of CUDA.
    [[noreturn]] void too_old_for(std::string_view what, int needed_version) const;

private:
    void load(const std::string& library);
    void initialise();

    cuda::Functions functions_{};
    std::string library_;
    int version_ = 0;
};

/// "12.8" for 12080.
std::string cuda_version_text(int version);

} // namespace swirl::runtime
