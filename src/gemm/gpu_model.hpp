#pragma once

#include "gemm/gpu_schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// The model's seconds of a product by a schedule that suits it.
double gpu_seconds(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu);

/// What the model takes a GPU for; its constants are those of an H100.
struct GpuRates {
    double multiprocessors = 0; ///< 100 where the GPU's are not known
    double hertz = 0;
    double memory = 0; ///< bytes a second
    double cache = 0;  ///< of the second cache
};
GpuRates gpu_rates(const target::Gpu& gpu);

/// How many multiply-adds of such sums warps do in the time of one by threads: of float64, or of short numbers with sums of float32.
double warp_speedup(Number number);

/// Registers of a thread that the model expects the driver's compiler to want.
int gpu_registers(const GpuSchedule& schedule, Number number);

/// Blocks that a multiprocessor holds at once; 0 where a thread lacks registers.
int gpu_resident_blocks(const GpuSchedule& schedule, const MatrixProduct& product, const target::Gpu& gpu);

/// Those that the model thinks fastest, the fastest first; none where C has no elements. UserError where kernels for GPUs have no product of such numbers.
/// `accuracy`: that they all have, of products of float32; others are ordinary.
std::vector<GpuSchedule> gpu_schedules(const MatrixProduct& product, const target::Gpu& gpu, std::size_t most,
                                       Accuracy accuracy = Accuracy::ordinary);

/// The one that the model thinks fastest of those by which threads multiply, without tiles; and without streams, where it has to be one kernel. UserError where threads do not multiply
/// such numbers.
GpuSchedule gpu_thread_schedule(const MatrixProduct& product, const target::Gpu& gpu,
                                bool in_one_kernel = false);

/// A schedule like this one for matrices that are aligned to their elements alone: by threads, which move single ones. UserError as of
/// gpu_thread_schedule.
GpuSchedule gpu_single_element_schedule(const GpuSchedule& schedule, const MatrixProduct& product,
                                        const target::Gpu& gpu);

} // namespace swirl::gemm
