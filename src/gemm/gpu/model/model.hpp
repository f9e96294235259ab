#pragma once

#include <swirl/options.hpp>

#include "gemm/gpu/simt/layout.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's time in seconds for a feasible schedule.
double gpu_seconds(const MatrixProduct& product, const GpuGemmSchedule& schedule, const target::Gpu& gpu);

/// Rates that the model assumes for a GPU; its constants are fitted to an H100, and reach what kernels reach there. What
/// no kernel exceeds is target::GpuRates.
struct ModelRates {
    double multiprocessors = 0; ///< 100 if unknown
    double hertz = 0;
    double memory = 0; ///< bandwidth, bytes per second
};
ModelRates model_rates(const target::Gpu& gpu);

/// Speedup of mma.sync over SIMT multiply-adds: for float64, or for half-precision operands with float32
/// accumulators.
double mma_speedup(DataType data_type);

/// Estimated registers per thread.
int gpu_registers(const SimtGemm& schedule, DataType type);

/// Resident blocks per multiprocessor; 0 if a thread has too few registers.
int gpu_resident_blocks(const CanonicalSimtGemm& gemm, const target::Gpu& gpu);

/// The candidates that the model ranks fastest, fastest first; none for an empty C. UserError if GPU kernels do not
/// support the data types. `accuracy`: required of all of them, for float32 problems; other types are always
/// ordinary.
std::vector<GpuGemmSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu,
                                           std::size_t most, Accuracy accuracy = Accuracy::ordinary);

/// The SIMT candidate that the model ranks fastest; without Stream-K if it must be a single kernel. UserError if SIMT
/// kernels do not support the data types.
SimtGemm simt_schedule(const MatrixProduct& product, const target::Gpu& gpu, bool in_one_kernel = false);

/// A similar SIMT schedule for matrices aligned only to their elements; its accesses move single elements. UserError
/// as for simt_schedule.
SimtGemm gpu_single_element_schedule(const GpuGemmSchedule& schedule, const MatrixProduct& product,
                                     const target::Gpu& gpu);

} // namespace swirl::gemm
