#pragma once

#include "emit/gpu_source.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"

#include <string>

namespace swirl::cli {

/// A transform on a GPU as text that needs no swirl.
struct StandaloneGpu {
    std::string source; ///< all kernels, and for the host what runs them; see the comments in it
    std::string header; ///< declares that
};
StandaloneGpu recipe_as_gpu_source(const Problem& problem, const planning::Recipe& recipe,
                                   emit::GpuLanguage language, const std::string& function);

} // namespace swirl::cli
