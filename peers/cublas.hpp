#pragma once

#include "peers/gpu_matrix_call.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace swirl::peers {

/// Why cuBLAS cannot be compared with; empty where it can. It is loaded when first asked for: the library that
/// SWIRL_CUBLAS names, else one of CUDA's toolkit (CUDA_HOME, /usr/local/cuda*), of Python's packages, or of the system.
std::string cublas_absent_because();

/// "cuBLAS 13.1.0, libcublas.so.13"; for a cuBLAS that is there.
std::string cublas_version();

/// A product by cuBLAS, with α = 1 and β = 0. It works in the device's primary context, as swirl does, so both can be given
/// the same memory and the same stream, and it can be recorded into a graph.
class CublasPlan {
public:
    /// UserError where cuBLAS is not there, has no such product, or refuses.
    CublasPlan(const GpuMatrixCall& call, const runtime::GpuDevice& device, runtime::cuda::Stream stream);

    /// Puts the product into the stream. UserError where cuBLAS refuses.
    void execute(const void* a, const void* b, void* c) const;

    const std::string& routine() const; ///< "cublasGemmEx"
    std::size_t workspace_bytes() const;

    class Routine; ///< one of cuBLAS's

private:
    runtime::GpuDevice device_;
    std::shared_ptr<const Routine> routine_;
};

} // namespace swirl::peers
