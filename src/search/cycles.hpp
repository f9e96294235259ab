#pragma once

#include "rules/rule.hpp"
#include "search/cost_model.hpp"
#include "search/machine_model.hpp"

#include <map>
#include <tuple>

/// Cycles that codelets, passes and sweeps over memory should take.
namespace swirl::search {

/// The best candidates found so far, by points, direction, iterations around and transforms side by side: the same inner transforms come up
/// again and again, and building the rules for primes computes the spectra of their kernels.
using Memo = std::map<std::tuple<Integer, Direction, double, double>, Candidate>;

/// What the model needs to know of the machine and of the loops around a transform.
struct Setting {
    double lanes;
    double registers;
    double loops;         ///< iterations of all loops around the transform
    double cache_bytes;   ///< of a core's own caches
    double element_bytes; ///< of a complex number
    Memo* memo;
    /// Transforms that go through each pass together, the neighbours in memory being their entries and `loops` what
    /// fills the lanes; 1: each alone, its own entries being neighbours.
    double side_by_side = 1;
    const MachineModel* machine = &fitted_machine();

    bool is_alone() const { return side_by_side == 1; }
};

/// Share of a vector's lanes that do work in a loop of `count` iterations.
double utilization(double count, double lanes);

/// Reading and writing n entries once; nothing where they stay in cache.
double sweep_cycles(Integer n, const Setting& setting);

/// Reading and writing n entries once, within a core's own caches; nothing where they stay in the nearest.
double cached_sweep_cycles(Integer n, const Setting& setting);

/// Writing n entries in blocks to rows of such a length, all of which take the same place in the nearest cache where
/// that is a multiple of a power of two; nothing where stores pass the caches.
double colliding_rows_cycles(Integer n, Integer row, const Setting& setting);

/// For each entry that a radix reads at such a stride (bytes): rows read at once from beyond the caches fall into one set
/// of the caches when the stride is a multiple of a power of two; more of them than it has ways drive each other out.
double conflict_cycles(Integer radix, Integer stride);

/// A Stockham transform of n points.
double stockham_cycles(const rules::Choice& radices, Integer n, const Setting& setting);

/// One straight-line codelet, an iteration of the setting's loops.
double codelet_cycles(Integer n, const Setting& setting);

/// What a radix pays for twiddles on what it loads, which are alive together with the entries.
double loaded_factors_cycles(Integer radix, const Setting& setting);

/// What twiddles in two factors cost n entries beyond those in one.
double second_factor_cycles(Integer n, const Setting& setting);

} // namespace swirl::search
