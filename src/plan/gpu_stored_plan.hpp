#pragma once

#include "base/byte_stream.hpp"
#include "ir/kernel_info.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_compile.hpp"
#include "runtime/kernel_cache.hpp"
#include "target/gpu.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// Plans kept beside their kernels' machine code, so that neither is derived again.
namespace swirl::planning {

/// All that a launch needs but the machine code, of which it has the keys.
struct StoredGpuPlan {
    std::vector<LaunchedKernel> kernels;
    std::vector<runtime::CacheKey> code; ///< of each
    std::span<const std::byte>
        tables; ///< lie elsewhere: where it was decoded, in the bytes that it was decoded from
    std::size_t workspace_bytes = 0;
    bool checked = false; ///< its results were compared with the definition, with this machine code

    runtime::Bytes encode() const;
    /// Nothing where the bytes are none.
    static std::optional<StoredGpuPlan> decode(std::span<const std::byte> bytes);
};

/// By the problem's and the recipe's texts, the device, its driver, and this build of swirl: another one may derive other
/// code. Nothing where the build is not known.
std::optional<runtime::CacheKey> stored_plan_key(const Problem& problem, const Recipe& recipe,
                                                 const runtime::GpuDevice& device, const target::Gpu& gpu);

void write(ByteWriter& writer, const ir::KernelInfo& info);
ir::KernelInfo read_kernel_info(ByteReader& reader);

} // namespace swirl::planning
