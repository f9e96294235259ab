#pragma once

#include "base/byte_stream.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/compile.hpp"
#include "runtime/kernel_cache.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// Plans stored beside their kernels' machine code, so that neither is derived again.
namespace swirl::planning {

/// All that a launch needs. Machine code is referred to by its cache keys.
struct StoredGpuPlan {
    std::vector<LaunchedKernel> kernels;
    std::vector<runtime::CacheKey> code; ///< one per kernel
    std::span<const std::byte> tables;   ///< not owned: points into the decoded bytes
    std::size_t workspace_bytes = 0;
    bool checked = false; ///< results of this machine code passed the check against the definition

    runtime::Bytes encode() const;
    /// Empty for invalid bytes.
    static std::optional<StoredGpuPlan> decode(std::span<const std::byte> bytes);
};

/// Key of the problem's and the schedule's text, the device, its driver, and this build of swirl, because another build
/// may derive other code. Empty if the build is unknown.
std::optional<runtime::CacheKey> stored_plan_key(const Transform& problem, const Schedule& schedule,
                                                 const runtime::GpuDevice& device, const target::Gpu& gpu);

} // namespace swirl::planning
