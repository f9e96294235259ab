#pragma once

#include "plan/schedule.hpp"
#include "search/cost/cpu/machine_model.hpp"

#include <swirl/matrix_product.hpp>

/// Predicted time of a matrix multiplication on a CPU, from its schedule and the machine model.
namespace swirl::search {

/// What the model does not derive from the machine, in cycles or bytes per cycle: fitted by bench_gemm_cost --regret 0.5 to
/// timings of candidates of 372 products of seeds 71 and 72 on an Intel Xeon with AVX-512, as HACKING.md describes.
struct GemmCostConstants {
    double call = 187.6;           ///< a call of a plan
    double block = 127.8;          ///< the loops of a packed block
    double panel = 12.27;          ///< a call of a packing kernel
    double blocked_tile = 23.96;   ///< a call of a micro-kernel: to start its multiply-adds and to drain them
    double unpacked_tile = 0.4847; ///< the same inside a kernel of a whole product
    double dot_tile = 25.63;
    double vector_of_c = 1.93; ///< a vector of C that is loaded and stored
    double scattered = 0.5652; ///< an element of C that is stored by itself
    double lane_sum = 2.542;   ///< joining and storing an element of C whose partial sums lie in lanes
    double exposed_load =
        0.04067; ///< a vector or a splat loaded from an operand, that multiply-adds do not hide
    double masked_load = 1.399;     ///< more for a part of a vector
    double loop_iteration = 0.3614; ///< of a loop along K
    double packing_bytes =
        117.1; ///< per cycle, within a core's private caches: panels are read and written once each
    double transposing_bytes = 23.92; ///< the same where the operand's lines run along K
    double outer_cache_bytes = 38.29; ///< per cycle, from a core's own outer cache
    double beyond_bytes =
        0.5789; ///< bandwidth beyond the private caches, over the machine model's for copies
    /// More of that time for each doubling of the streams of addresses beyond those that the hardware prefetches.
    double unordered = 0.2692;
    double unordered_prefetched = 0.1355; ///< the same where instructions prefetch them
    double unordered_c = 0.1005;          ///< the same for C
    double prefetch = 0.4107;             ///< a prefetch instruction
    double packed_k = 0.4255;             ///< an index k of a panel that is packed
    double column_of_c = 0.3164;          ///< a column of a tile of C
    /// Of the shorter of two times, those of a core and of the traffic beyond it: what does not overlap with the other.
    double beyond_not_overlapped = 0.6039;
    /// The same for a tile's operations and the traffic within the core's private caches.
    double not_overlapped = 0.1865;
};

/// Seconds of one execution on `threads` threads: the micro-kernel's cycles for whole tiles, packing, and C's traffic.
double gemm_seconds(const MatrixProduct& product, const planning::Schedule& schedule,
                    const MachineModel& machine, int threads = 1, const GemmCostConstants& constants = {});

} // namespace swirl::search
