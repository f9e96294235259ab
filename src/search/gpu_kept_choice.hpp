#pragma once

#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/kernel_cache.hpp"
#include "target/gpu.hpp"

namespace swirl::search {

/// gpu_recipe, which is asked once: its answer is kept in the cache (null: nowhere), for this build of swirl.
planning::Recipe kept_gpu_recipe(const Problem& problem, const target::Gpu& gpu, runtime::KernelCache* cache);

} // namespace swirl::search
