#pragma once

#include "base/integer.hpp"
#include "search/probe.hpp"
#include "target/cpu.hpp"

#include <limits>
#include <vector>

namespace swirl::search {

/// What the cost model has to know of a machine beside its instructions: the memory, in cycles in each of which two fused
/// multiply-adds of whole vectors begin. The defaults are the machine on which src/search/cycles.cpp was fitted.
struct MachineModel {
    /// What moves between a core and a level behind its own caches.
    struct Level {
        double bytes; ///< that it holds for one core
        double bytes_per_cycle;
        bool operator==(const Level&) const = default;
    };

    double hertz = 3e9; ///< cycles a second
    double nearest_cache_bytes = 48 << 10;
    Integer nearest_cache_ways = 12;
    double own_cache_bytes = 0; ///< of the last cache that a core has to itself; 0: what target/ says
    double near_line = 1; ///< cycles of a line from a core's own outer cache, in those of the fitted machine
    double far_line = 1;  ///< the same of a line from behind its own caches
    std::vector<Level> beyond = {{std::numeric_limits<double>::infinity(), 24}}; ///< nearer ones first

    bool operator==(const MachineModel&) const = default;

    /// The distance at which places in the nearest cache repeat, and how many lines that far apart it holds beside as many
    /// of other arrays.
    double colliding_distance() const {
        return nearest_cache_bytes / static_cast<double>(nearest_cache_ways);
    }
    Integer colliding_lines() const { return 2 * nearest_cache_ways / 3; }

    /// Between a core and the level that holds so many bytes.
    double bytes_per_cycle(double bytes) const;
};

/// The machine on which the model was fitted.
const MachineModel& fitted_machine();

/// What a probe says of a machine. What it measured within a quarter of the fitted machine's counts as equal: a second
/// probe would differ as much. The defaults where its kernels were not vectors, or its figures cannot be.
MachineModel machine_model(const MachineProbe& probe);

/// By the probe of this machine that wisdom has, the defaults where it has none or the CPU is not the probe's. Asks
/// wisdom once in a process for each file.
const MachineModel& known_machine_model(const target::Cpu& cpu);

} // namespace swirl::search
