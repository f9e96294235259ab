#pragma once

#include "rules/rule.hpp"
#include "search/cost/cpu/cost_model.hpp"
#include "search/cost/cpu/cycle_constants.hpp"
#include "search/cost/cpu/machine_model.hpp"

#include <map>
#include <tuple>

/// Estimated cycles of codelets, passes and sweeps over memory.
namespace swirl::search {

/// What was found so far, because the same inner transforms recur, and building the rules for primes computes the spectra of
/// their kernels.
struct Memo {
    /// The best candidates, by points, loop iterations and interleaved transforms.
    std::map<std::tuple<Integer, double, double>, Candidate> best;
    std::map<Integer, std::vector<rules::Choice>> radices; ///< lists for a Stockham transform, by points
};

/// What the model needs to know of the machine and of the loops around a transform.
struct Setting {
    double lanes;
    double registers;
    double loops;         ///< iterations of all loops around the transform
    double cache_bytes;   ///< capacity of a core's private caches
    double element_bytes; ///< of one complex element
    Memo* memo;
    double streaming_bytes = 0; ///< of arrays to which stores do not bypass the caches
    /// Number of transforms that go through each pass together (interleaved): neighbours in memory are corresponding
    /// entries of different transforms, and `loops` fills the lanes. 1: each transform runs alone, and neighbours in
    /// memory are its own entries.
    double side_by_side = 1;
    const MachineModel* machine = &fitted_machine_model();
    const CycleConstants* constants = &constants_of_avx512;

    bool is_alone() const { return side_by_side == 1; }
};

/// Fraction of a vector's lanes that do useful work in a loop of `count` iterations.
double utilization(double count, double lanes);

/// Cycles to read and write n entries once; zero if so many arrays of them stay in cache: input and results, of which half may
/// be out of it, and temporaries.
double sweep_cycles(Integer n, const Setting& setting, double arrays = 2);

/// Cycles more for a pass of this radix over so many bytes; zero if they stay in cache.
double far_rows_cycles(Integer radix, double bytes, const Setting& setting, double arrays = 2);

/// Cycles to read and write n entries once within a core's private caches; zero if they stay in L1.
double cached_sweep_cycles(Integer n, const Setting& setting);

/// Cycles to write n entries in blocks to rows of length `row`. If the row length is a multiple of a power of two, all
/// rows map to the same L1 set. Zero where stores bypass the caches.
double colliding_rows_cycles(Integer n, Integer row, const Setting& setting);

/// Cycles per entry for a radix that reads at this stride (bytes). Rows fetched together from beyond the caches fall
/// into one cache set if the stride is a multiple of a power of two; more rows than the set has ways evict each other.
double conflict_cycles(Integer radix, Integer stride);

/// Cycles of a Stockham transform of n points.
double stockham_cycles(const rules::Choice& radices, Integer n, const Setting& setting);

/// Cycles of one straight-line codelet, per iteration of the setting's loops.
double codelet_cycles(Integer n, const Setting& setting);

/// Cost of twiddle factors applied to loaded entries: they are live together with the entries.
double loaded_twiddle_cycles(Integer radix, const Setting& setting);

/// Extra cost for n entries of twiddles stored as two factors instead of one.
double second_twiddle_cycles(Integer n, const Setting& setting);

} // namespace swirl::search
