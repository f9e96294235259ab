#pragma once

#include "gemm/gpu/simt/layout.hpp"

namespace swirl::gemm {

/// What the time of an mma.sync kernel depends on. Cycles are those of full rate.
struct MmaFeatures {
    double each = 1;         ///< blocks of the multiprocessor with most of them
    double resident = 1;     ///< of these, at once
    double blocks = 1;       ///< of the grid
    double k_tiles = 1;      ///< of a block
    double tiles = 1;        ///< of C that a block works on, one after the other
    double warps = 1;        ///< of a block
    double steps = 1;        ///< instructions along K, of a warp in a k-tile
    double step_cycles = 0;  ///< of a scheduler's tensor core, for a warp's instructions of one step
    double step_loads = 0;   ///< from shared memory, of a warp in one step
    double step_moves = 0;   ///< of 16-bit values between halves of registers, likewise
    double shared_bytes = 0; ///< of fragments, that a block's warps read in a k-tile
    double copies = 0;       ///< instructions of a block's warps that copy a k-tile
    double sectors = 0;      ///< of 32 bytes that these copies read
    double stages = 2;       ///< k-tiles in shared memory
    double stores = 0;       ///< instructions of a thread that store C
    double tile_bytes = 0;   ///< of a block's accumulators
    double slices = 1;       ///< of a k-tile's K
    double splits = 1;       ///< of K
    double in_workspace = 0; ///< 1 if splits are reduced in global memory
    double once_bytes = 0;   ///< of all operands and C, each once
    double far_bytes = 0;    ///< of these, those beyond what L2 keeps from one execution to the next
};

/// In cycles unless stated otherwise.
struct MmaConstants {
    double launch = 0;         ///< before the first block starts and after the last one ends
    double block = 0;          ///< until a block's first k-tile arrives, and for its exit
    double barrier = 0;        ///< of a block, per k-tile
    double step_latency = 0;   ///< least time of a warp for a step
    double mma = 1;            ///< factor on tensor-core cycles
    double load_issue = 0;     ///< of a scheduler, per load of a warp from shared memory
    double move_issue = 0;     ///< likewise per move
    double copy_issue = 0;     ///< likewise per copy
    double shared_bytes = 128; ///< per cycle
    double copy_pass = 0;      ///< of shared memory, per copy of a warp
    double sector = 0;         ///< of the path from L2, per sector
    double first_sector = 0;   ///< the same for the first k-tiles of resident blocks, which nothing hides
    double arrival = 0;        ///< from issuing a k-tile's copies to their arrival
    double store = 0;          ///< per store of a thread
    double slices = 0;         ///< barriers of a reduction over slices
    double exchange_bytes = 8; ///< bytes of accumulators reduced per cycle
    double pair = 0;           ///< launch and barriers of a cluster of two blocks
    double cluster = 0;        ///< per additional block
    double group = 0;          ///< a barrier of blocks through memory
    double added_split = 0;    ///< per split that is reduced there
    double traffic = 0;        ///< bytes per cycle that all multiprocessors exchange with L2
    double memory = 0;         ///< likewise, of L2 with memory
    double overlap = 3;        ///< exponent of the norm of resources
};

/// Fitted to timed candidates, for float64 or for 16-bit types with float32 accumulators.
const MmaConstants& mma_constants(DataType data_type);

MmaFeatures mma_features(const CanonicalSimtGemm& gemm, const target::Gpu& gpu);
double mma_cycles(const MmaFeatures& features, const MmaConstants& constants);

/// The model's time in seconds for a feasible mma.sync schedule, without reductions and without Stream-K's partial
/// tiles.
double mma_seconds(const CanonicalSimtGemm& gemm, const target::Gpu& gpu);

} // namespace swirl::gemm
