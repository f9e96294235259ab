#pragma once

#include "gemm/gpu/epilogue/reduction.hpp"
#include "gemm/gpu/model/model.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/gpu/wgmma/layout.hpp"

/// Cost of reductions over C on GPUs, in addition to the GEMM.
namespace swirl::gemm {

/// Partials per result that a schedule's blocks store.
ReductionPartials reduction_partials_of(const CanonicalSimtGemm& gemm, Over over);
ReductionPartials reduction_partials_of(const CanonicalWgmmaGemm& gemm, Over over);

/// Seconds for all of a problem's reductions: in consecutive blocks of a multiprocessor, plus the kernel for each
/// reduction with partials.
double gpu_reduction_seconds(const CanonicalSimtGemm& gemm, const ModelRates& rates);
double gpu_reduction_seconds(const CanonicalWgmmaGemm& gemm, const ModelRates& rates);

} // namespace swirl::gemm
