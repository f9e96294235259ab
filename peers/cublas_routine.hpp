#pragma once

#include "peers/cublas.hpp"
#include "peers/cublas_library.hpp"

#include <memory>
#include <string>

namespace swirl::peers {

/// A routine of cuBLAS with what it needs beside the matrices. The GPU is current where one is made, called and ended.
class CublasPlan::Routine {
public:
    explicit Routine(std::string name) : name_(std::move(name)) {}
    Routine(const Routine&) = delete;
    Routine& operator=(const Routine&) = delete;
    virtual ~Routine() = default;

    virtual void execute(const void* a, const void* b, void* c) const = 0;

    const std::string& name() const { return name_; }

    /// As much as NVIDIA advises to give for GPUs of compute capability 9.0 ("cublasSetWorkspace").
    static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

private:
    std::string name_;
};

/// By cublasLtMatmul, which alone has products of 8 bits.
std::unique_ptr<const CublasPlan::Routine> cublas_lt_routine(const GpuMatrixCall& call,
                                                             const runtime::GpuDevice& device,
                                                             runtime::cuda::Stream stream);

} // namespace swirl::peers
