#pragma once

#include "cli/output.hpp"
#include "machine/score.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <string>

namespace swirl::cli {

/// What a compiler of PTX made of a kernel, without running it.
struct CompiledKernel {
    std::optional<machine::KernelScore> score;
    std::string compiler; ///< which one it was
    std::string missing;  ///< where there is no score, why
};

/// By the driver of the GPU of this number, if there is one, else by `ptxas`: in PATH, under $CUDA_HOME or in /usr/local/cuda*.
CompiledKernel compile_to_look_at(const std::string& ptx, const std::string& kernel, const target::Gpu& gpu,
                                  std::optional<int> device);

std::string text_of(const CompiledKernel& compiled);
Json json_of(const CompiledKernel& compiled);

} // namespace swirl::cli
