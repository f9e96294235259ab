#pragma once

#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "runtime/kernel_cache.hpp"
#include "target/gpu.hpp"

namespace swirl::search {

/// Memoised gpu_schedule: the result is stored in the cache (null: not stored), keyed by this build of swirl.
planning::Schedule cached_gpu_schedule(const Transform& problem, const target::Gpu& gpu,
                                       runtime::KernelCache* cache);

} // namespace swirl::search
