#pragma once

#include "base/integer.hpp"
#include "search/cost/probe/probe.hpp"
#include "target/cpu.hpp"

#include <limits>
#include <vector>

namespace swirl::search {

/// What the cost model must know of a machine beyond its instructions: its clock, the width of its units and its memory.
/// Unit: a cycle of the clock. The defaults are the machine on which src/search/cost/cpu/cycles.cpp was fitted.
struct MachineModel {
    /// Bandwidth between a core and a level beyond its private caches.
    struct Level {
        double bytes; ///< capacity available to one core
        double bytes_per_cycle;
        bool operator==(const Level&) const = default;
    };

    double hertz = 3e9; ///< cycles per second
    /// Cycles of a full-vector operation, relative to the fitted machine, which issues two multiply-adds per cycle: 2
    /// where a vector is twice as wide as the units (AVX-512 of Zen 4), or where there is one unit.
    double vector_operation = 1;
    double nearest_cache_bytes = 48 << 10;
    Integer nearest_cache_ways = 12;
    double own_cache_bytes = 0; ///< of the last private cache of a core; 0: from target/
    /// Cycles per cache line from a core's private outer cache, relative to the fitted machine.
    double near_line = 1;
    double far_line = 1; ///< the same for a cache line from beyond the private caches
    std::vector<Level> beyond = {{std::numeric_limits<double>::infinity(), 24}}; ///< nearest first

    bool operator==(const MachineModel&) const = default;

    /// The distance at which addresses map to the same L1 set, and how many cache lines at that distance fit beside as
    /// many of other arrays.
    double colliding_distance() const {
        return nearest_cache_bytes / static_cast<double>(nearest_cache_ways);
    }
    Integer colliding_lines() const { return 2 * nearest_cache_ways / 3; }

    /// Bandwidth between a core and the level that holds so many bytes.
    double bytes_per_cycle(double bytes) const;
};

/// The machine on which the model was fitted.
const MachineModel& fitted_machine_model();

/// The model of a probed machine. A figure within a quarter of the fitted machine's counts as equal, since a second
/// probe would vary as much. The defaults if the probe's kernels were not vectorised or its figures are implausible.
MachineModel machine_model(const HostProbe& probe);

/// The model from this machine's probe in wisdom; the defaults if there is none or it is for another CPU. Looks up
/// wisdom once per process and file.
const MachineModel& known_machine_model(const target::Cpu& cpu);

} // namespace swirl::search
