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

    /// With its main loop in another order, where that was asked for and is proved; else why it stays as compiled.
    std::optional<machine::KernelScore> other_order;
    std::string stays_because;
};

/// By the driver of the GPU of this number, if there is one, else by `ptxas`: in PATH, under $CUDA_HOME or in /usr/local/cuda*.
/// `machine_loop`: its main loop is to be put into another order.
CompiledKernel compile_to_look_at(const std::string& ptx, const std::string& kernel, const target::Gpu& gpu,
                                  std::optional<int> device, bool machine_loop);

std::string text_of(const CompiledKernel& compiled);
/// A line, or nothing where there is no reason.
std::string text_of_loop_that_stays(const std::string& because);
Json json_of(const CompiledKernel& compiled);

} // namespace swirl::cli
