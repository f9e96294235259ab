#pragma once

#include "bench/gpu_products/operands.hpp"
#include "runtime/cuda/stream.hpp"

#include <functional>
#include <string>
#include <vector>

/// swirl's GEMM in the benchmark.
namespace swirl::bench {

struct SwirlProduct {
    std::string schedule;
    double model_seconds = 0; ///< predicted by swirl's model
    /// Enqueues it on the stream that it was built for.
    std::function<void(const Operands::Pointers&)> execute;
};

/// A GEMM as swirl plans it, or with the given schedule. Throws UserError if swirl has no plan for it.
SwirlProduct swirl_product(const peers::GpuMatrixCall& call, const std::string& schedule,
                           const runtime::GpuStream& stream, bool use_cache);

/// The schedules that swirl's model rates best, best first. Throws UserError if swirl has none.
std::vector<std::string> swirl_schedules(const peers::GpuMatrixCall& call, std::size_t most,
                                         const runtime::GpuStream& stream);

} // namespace swirl::bench
