#pragma once

#include "gemm/gpu_schedule.hpp"
#include "gemm/gpu_stream.hpp"

/// What a schedule asks of a GPU beside multiply-adds, so that these are what it waits for. (Gray, "SGEMM", a walkthrough of maxas,
/// reckons bytes a second of its tiles in the same way.)
namespace swirl::gemm {

struct GpuBalance {
    Integer piece_bytes = 0;         ///< of A and B that a block fetches for a piece
    Integer piece_multiply_adds = 0; ///< of the block, with that piece
    double peak = 0;                 ///< flops a second of all multiprocessors, issuing nothing else
    double cache_needed = 0;         ///< bytes of A and B a second out of the second cache, at the peak
    double cache_given = 0;          ///< what it delivers
    /// Bytes of A and B a second from memory, at the peak: blocks that are there at once share what they read.
    double memory_needed = 0;
    double memory_given = 0;

    int registers = 0; ///< of a thread
    Integer shared_bytes = 0;
    target::Occupancy occupancy;

    Integer blocks = 0;
    Integer blocks_at_once = 0; ///< that all multiprocessors hold
    Integer waves = 0;
    double last_wave = 0;            ///< how full it is, of 1
    std::optional<GpuStream> stream; ///< of a schedule that has one

    double flops_per_byte() const {
        return 2 * static_cast<double>(piece_multiply_adds) / static_cast<double>(piece_bytes);
    }
};

/// Of a schedule that suits a product which is not empty. `registers` is what the driver says, or 0: then what the model expects.
GpuBalance gpu_balance(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                       int registers = 0);

} // namespace swirl::gemm
