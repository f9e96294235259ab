#pragma once

#include "cli/output.hpp"
#include "gemm/gpu/model/sample.hpp"

#include <string>

/// Shared by the explanations of all GEMM kernels.
namespace swirl::cli {

std::string text_of_problem(const MatrixProduct& product, const target::Gpu& gpu,
                            const gemm::GpuGemmSchedule& schedule);
/// The schedule parameters that affect the kernel.
std::string text_of_parameters(const gemm::GpuGemmSchedule& schedule);
std::string text_of_accesses(const gemm::GpuSample& sample, const target::Gpu& gpu);

Json json_of_parameters(const gemm::GpuGemmSchedule& schedule);
Json json_of_sample(const gemm::GpuSample& sample);

} // namespace swirl::cli
