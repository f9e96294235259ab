#pragma once

/// What the estimates of all kinds of transforms count in.
///
/// Cycles, fitted to the times of all candidates for 64 … 65536 points, of both precisions, in vectors of 32 and of 64
/// bytes. What an out-of-order core overlaps counts for less than it would take alone. Those of memory are the fitted
/// machine's; the setting's MachineModel has them for another.
namespace swirl::search {

constexpr double operation_cycles = 0.341;
constexpr double shuffle_cycles = 0.189;
constexpr double move_cycles = 0.074; ///< of loads and stores that a butterfly needs anyway
/// Of a cache line whose neighbours in a column take the same place in the nearest cache, where they are more than its
/// ways.
constexpr double colliding_load_cycles = 1.47, colliding_store_cycles = 5.5;
constexpr double line_bytes = 64;

} // namespace swirl::search
