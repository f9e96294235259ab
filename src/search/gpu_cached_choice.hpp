#pragma once

#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/kernel_cache.hpp"
#include "target/gpu.hpp"

namespace swirl::search {

/// Memoised gpu_recipe: the result is stored in the cache (null: not stored), keyed by this build of swirl.
planning::Recipe cached_gpu_recipe(const Transform& problem, const target::Gpu& gpu,
                                   runtime::KernelCache* cache);

} // namespace swirl::search
