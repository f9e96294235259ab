#pragma once

#include "bench/gpu_products/operands.hpp"
#include "runtime/cuda_stream.hpp"

#include <functional>
#include <string>
#include <vector>

/// swirl's own part in the benchmark.
namespace swirl::bench {

struct SwirlProduct {
    std::string schedule;
    double model_seconds = 0; ///< that swirl's model thinks it takes
    /// Puts it into the stream that it was made for.
    std::function<void(const Operands::Pointers&)> execute;
};

/// A product as swirl plans it, or by a schedule where one is said. UserError where swirl has no plan for it.
SwirlProduct swirl_product(const peers::GpuMatrixCall& call, const std::string& schedule,
                           const runtime::GpuStream& stream, bool use_cache);

/// The schedules that swirl's model thinks best, the best first. UserError where swirl has none.
std::vector<std::string> swirl_schedules(const peers::GpuMatrixCall& call, std::size_t most,
                                         const runtime::GpuStream& stream);

} // namespace swirl::bench
