#pragma once

#include "runtime/cuda_abi.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace swirl::runtime {

/// The CUDA driver, loaded when it is first asked for. Nothing of it is needed to build swirl, nor to run it elsewhere.
class CudaDriver {
public:
    /// The driver of this machine: libcuda.so.1, or the library that SWIRL_CUDA_DRIVER names. Loaded and initialised
    /// once, by whichever thread asks first. UserError says what is missing; the next call then tries again.
    static const CudaDriver& of_machine();

    /// Loads a library and initialises it. It is never unloaded: a driver has threads of its own. UserError where there
    /// is no such library, where it is too old, where it finds no GPU or does not start.
    explicit CudaDriver(const std::string& library);
    CudaDriver(const CudaDriver&) = delete;
    CudaDriver& operator=(const CudaDriver&) = delete;

    const cuda::Functions& operator*() const { return functions_; }
    const cuda::Functions* operator->() const { return &functions_; }
    int version() const { return version_; } ///< of CUDA that it supports: 1000·major + 10·minor

    /// The library of its compiler, which it loads when the first PTX is compiled; empty where it cannot be told.
    std::filesystem::path compiler_library() const;

    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)", and what to do where that is known.
    std::string describe(cuda::Result result) const;
    /// InternalError that names the call, unless it succeeded.
    void check(cuda::Result result, std::string_view call) const;
    /// UserError that says that `what` needs a driver for a later version of CUDA.
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
