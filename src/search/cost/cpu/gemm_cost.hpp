#pragma once

#include "plan/schedule.hpp"
#include "search/cost/cpu/machine_model.hpp"

#include <swirl/matrix_product.hpp>

/// Predicted time of a matrix multiplication on a CPU, from its schedule and the machine model.
namespace swirl::search {

/// What the model does not derive from the machine, in cycles or bytes per cycle: fitted by bench_gemm_cost to timings of
/// seeds 101 to 103 on an Intel Xeon with AVX-512, and 104 and 105 with `--cpu avx2`, as HACKING.md describes.
struct GemmCostConstants {
    double call = 107;          ///< a call of a plan
    double block = 214;         ///< the loops of a packed block
    double panel = 19;          ///< a call of a packing kernel
    double blocked_tile = 47;   ///< a call of a micro-kernel: to start its multiply-adds and to drain them
    double unpacked_tile = 1.8; ///< the same inside a kernel of a whole product
    double dot_tile = 22;
    double vector_of_c = 5.8; ///< a vector of C that is loaded and stored
    double scattered = 1.5;   ///< an element of C that is stored by itself
    double lane_sum = 2.8;    ///< joining and storing an element of C whose partial sums lie in lanes
    double unpacked_load =
        0.052; ///< a vector or a splat loaded from an operand in place, that multiply-adds do not hide
    double masked_load = 0.29;    ///< more for a part of a vector
    double loop_iteration = 0.53; ///< of a loop along K
    double packing_bytes =
        105; ///< per cycle, within a core's private caches: panels are read and written once each
    double transposing_bytes = 17; ///< the same where the operand's lines run along K
    double outer_cache_bytes = 29; ///< per cycle, from a core's own outer cache
};

/// Seconds of one execution on `threads` threads: the micro-kernel's cycles for whole tiles, packing, and C's traffic.
double gemm_seconds(const MatrixProduct& product, const planning::Schedule& schedule,
                    const MachineModel& machine, int threads = 1, const GemmCostConstants& constants = {});

} // namespace swirl::search
