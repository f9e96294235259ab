#pragma once

#include "gemm/gpu/schedule.hpp"
#include "gemm/gpu/scheduler/stream_k.hpp"

/// What a SIMT or mma.sync schedule demands of a GPU besides multiply-adds, which should be the bottleneck. (Gray,
/// "SGEMM", a walkthrough of maxas, computes the bytes per second of its tiles in the same way.)
namespace swirl::gemm {

struct GpuBalance {
    Integer k_tile_bytes = 0; ///< of A and B, fetched by a block per k-tile
    Integer k_tile_fmas = 0;  ///< multiply-adds of a block per k-tile
    double peak = 0;          ///< flops per second of all multiprocessors issuing nothing else; 0: unknown
    double l2_needed = 0;     ///< bytes of A and B per second from L2, at the peak
    double l2_given = 0;      ///< L2 bandwidth
    /// Bytes of A and B per second from global memory, at the peak: resident blocks share what they read.
    double memory_needed = 0;
    double memory_given = 0;

    int registers = 0; ///< per thread
    Integer shared_bytes = 0;
    target::Occupancy occupancy;

    Integer blocks = 0;
    Integer resident_blocks = 0; ///< on all multiprocessors
    Integer waves = 0;
    double last_wave = 0;                   ///< its occupancy, 0 … 1
    std::optional<StreamKPartition> stream; ///< for a Stream-K schedule

    double flops_per_byte() const {
        return 2 * static_cast<double>(k_tile_fmas) / static_cast<double>(k_tile_bytes);
    }
};

/// For a feasible schedule of a nonempty problem. `registers`: per thread, from the driver; 0: the model's estimate.
GpuBalance gpu_balance(const MatrixProduct& product, const SimtGemm& schedule, const target::Gpu& gpu,
                       int registers = 0);

} // namespace swirl::gemm
