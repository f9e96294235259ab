#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/wgmma/layout.hpp"

#include <string>
#include <vector>

namespace swirl::gemm {

/// The model's time in seconds for a feasible wgmma schedule.
double wgmma_seconds(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu);

/// Rates of a multiprocessor, per cycle.
struct WgmmaRates {
    double flops = 0;        ///< tensor-core peak
    double loaded_bytes = 0; ///< from L2
};
/// For operand elements of `bytes` bytes.
WgmmaRates wgmma_rates(Integer bytes);

/// Feasible wgmma schedules of a canonical problem; none if tensor cores do not support the data types or TMA cannot
/// load the operands. `accuracy`: required of float32 problems.
std::vector<WgmmaGemm> wgmma_schedules(const CanonicalGemm& canonical, const target::Gpu& gpu,
                                       Accuracy accuracy = Accuracy::ordinary);
/// Why there are none.
std::string no_wgmma_because(const CanonicalGemm& canonical, const target::Gpu& gpu, Accuracy accuracy);

} // namespace swirl::gemm
