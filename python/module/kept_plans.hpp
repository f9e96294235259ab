/// How long plans of GPUs live: they must outlive the work that they enqueued. Used with the interpreter's lock held.
#pragma once

#include <swirl/plan.hpp>

#include <memory>
#include <utility>

namespace swirl::python {

/// Destroys it some time later, when the GPU has done what is enqueued now.
void destroy_after_work(std::shared_ptr<const void> recipe, int gpu);

/// Keeps it until the process ends: a CUDA graph may run its kernels at any time.
void keep_forever(std::shared_ptr<const void> recipe);

/// The recipe, whose plan outlives its last user until the GPU has done the work that was enqueued before. One for CPUs is
/// returned as it is.
template <class Recipe>
std::shared_ptr<const Recipe> kept_while_gpu_runs(std::shared_ptr<const Recipe> recipe) {
    if (!recipe->plan || !recipe->plan.device().is_gpu()) return recipe;
    const Recipe* const address = recipe.get();
    const int gpu = recipe->plan.device().ordinal();
    return {address, [recipe = std::move(recipe), gpu](const Recipe*) mutable {
                destroy_after_work(std::move(recipe), gpu);
            }};
}

} // namespace swirl::python
