#pragma once

#include "target/cpu.hpp"

namespace swirl::search {

/// What the cost model of transforms does not derive from the machine: cycles of the fitted machine's clock. Work that an
/// out-of-order core overlaps counts for less than it would take alone. Memory costs are those of the fitted machine; a
/// MachineModel replaces them on other machines.
struct CycleConstants {
    double operation = 0.341;
    double shuffle = 0.189;
    double move = 0.074; ///< a load or store that a butterfly needs anyway
    /// Per spilled value; the deep cost if live values are more than four times the registers.
    double spill = 0.316, deep_spill = 0.713;
    /// Spills of prime factors other than two, whose sums need more live values than radix-2 butterflies: a multiple.
    double wide_spill = 1.6;
    double iteration = 3.07;    ///< of a loop
    double loop = 14.5;         ///< of a pass: filling the pipeline and draining the last stores
    double overlapped_loop = 4; ///< of a pass that overlaps with the next transform
    double outer_line = 0.807;  ///< a cache line that does not stay in L1
    /// A cache line whose column neighbours map to the same L1 set, if they outnumber its ways.
    double colliding_load = 1.47, colliding_store = 5.5;
    /// A cache line from beyond the private caches that is not accessed next to the one before it.
    double scattered_line = 2.2;
    /// Cycles of a sweep over memory beyond the private caches, as a multiple of a copy's; and per cache line for each
    /// doubling of rows that a pass reads there at once: the prefetchers and the TLB follow only some.
    double far_sweep = 1, far_rows = 0;
    /// Cycles of the columns of a two-sweep, as a multiple, if their blocks are no whole number of cache lines, so that vectors
    /// straddle lines: this stands for loads and stores of both sweeps.
    double straddling_block = 1;
    /// Cycles of both sweeps of a two-sweep within the private caches, as a multiple.
    double near_two_sweep = 1;
    /// Of small kernels on interleaved data (pair_cost.hpp): per operation, and per call or iteration beyond these.
    double pair_operation = 0.3, pair_call = 7, pair_iteration = 2;
    /// Operations of a codelet, in vectors of 16 bytes, as a multiple; and per call with vectors as long as the registers.
    /// AVX-512 issues 64-byte vectors to two ports, shorter ones to three.
    double pair_codelet = 1, pair_long_vectors = 0;
    /// Of passes in place, which wait for the stores of another transform there: how much longer than a codelet where the stores
    /// answer the loads, and where loads straddle stores and wait until these have reached the cache.
    double answered_load = 10, unanswered_load = 33;
    /// Of a codelet of reals that runs once, whose operations are scalar: per call and per operation.
    double real_codelet_call = 9, real_codelet_operation = 0.235;
    double real_spill = 0.4; ///< the same of real transforms
    double real_iteration = 3, real_pass = 14;
    double half_size = 2.8; ///< per vector of reals in the pass around a complex DFT of half the size
};

constexpr double line_bytes = 64;

/// Fitted by bench_transform_cost to timings on an Intel Xeon with AMX, as HACKING.md describes.
constexpr CycleConstants constants_of_avx512{
    .operation = 0.4337,
    .shuffle = 0.5734,
    .move = 0.1424,
    .spill = 0.164,
    .deep_spill = 0.5277,
    .wide_spill = 1.422,
    .iteration = 2.747,
    .loop = 18.07,
    .overlapped_loop = 2.661,
    .outer_line = 1.648,
    .colliding_load = 1.089,
    .colliding_store = 1.965,
    .far_sweep = 1.967,
    .far_rows = 2.291,
    .straddling_block = 2,
    .near_two_sweep = 1.1,
    .pair_operation = 0.3703,
    .pair_call = 14,
    .pair_iteration = 0.9614,
    .pair_codelet = 0.72,
    .pair_long_vectors = 4.5,
    .real_spill = 0.6098,
    .real_iteration = 4.906,
    .real_pass = 7.432,
    .half_size = 1.86,
};

/// Fitted by bench_transform_cost to timings on a Zen 3 with AVX2, as HACKING.md describes.
constexpr CycleConstants constants_of_16_registers{
    .operation = 0.5183,
    .shuffle = 0.1797,
    .move = 0.04878,
    .spill = 0.415,
    .deep_spill = 0.9102,
    .wide_spill = 1.261,
    .iteration = 2.021,
    .loop = 11.7,
    .overlapped_loop = 2.903,
    .outer_line = 0.2773,
    .colliding_load = 1.373,
    .colliding_store = 2.607,
    .far_sweep = 0.427,
    .far_rows = 4.83,
    .pair_operation = 0.4804,
    .pair_call = 13.07,
    .pair_iteration = 2.126,
    .real_spill = 0.6922,
    .real_iteration = 4.466,
    .real_pass = 20.65,
};

/// Of the CPU's registers: with few, values are spilled and loaded again where a butterfly has many.
inline const CycleConstants& constants_for(const target::Cpu& cpu) {
    return cpu.vector_registers > 16 ? constants_of_avx512 : constants_of_16_registers;
}

} // namespace swirl::search
