#pragma once

#include "cli/output.hpp"
#include "sass/score.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <string>

namespace swirl::cli {

/// Static analysis of a kernel's compiled PTX; nothing is run.
struct CompiledKernel {
    std::optional<sass::KernelScore> score;
    std::string compiler; ///< which compiler was used
    std::string missing;  ///< why there is no score

    /// With the reordered main loop, if requested and verified; else the reason why not.
    std::optional<sass::KernelScore> reordered;
    std::string not_reordered_because;
};

/// Compiles with the driver of the GPU of this index if it exists, else with `ptxas`: in PATH, under $CUDA_HOME or in
/// /usr/local/cuda*. `reorder_sass`: reorder its main loop.
CompiledKernel compile_for_inspection(const std::string& ptx, const std::string& kernel,
                                      const target::Gpu& gpu, std::optional<int> device, bool reorder_sass);

std::string text_of(const CompiledKernel& compiled);
/// One line; empty if there is no reason.
std::string text_of_kept_order(const std::string& because);
Json json_of(const CompiledKernel& compiled);

} // namespace swirl::cli
