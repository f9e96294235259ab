#pragma once

#include "emit/gpu_source.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "target/gpu.hpp"

#include <string>

namespace swirl::cli {

/// What a kind of GPU has that a language has words for, and that is known of those that run it: of how many blocks run at
/// once, NVIDIA's alone.
target::Gpu gpu_in(emit::GpuLanguage language, target::Gpu gpu);

/// A transform on a GPU as text that needs no swirl.
struct StandaloneGpu {
    std::string source; ///< all kernels, and for the host what runs them; see the comments in it
    std::string header; ///< declares that
};
StandaloneGpu recipe_as_gpu_source(const Problem& problem, const planning::Recipe& recipe,
                                   emit::GpuLanguage language, const std::string& function);

} // namespace swirl::cli
