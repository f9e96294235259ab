#pragma once

/// Constants shared by all cost estimates.
///
/// Unit: cycles, fitted to the times of all candidates for 64 … 65536 points, in both precisions, with 32-byte and
/// 64-byte vectors. Work that an out-of-order core overlaps counts for less than it would take alone. Memory costs are
/// those of the fitted machine; the setting's MachineModel replaces them on other machines.
namespace swirl::search {

constexpr double operation_cycles = 0.341;
constexpr double shuffle_cycles = 0.189;
constexpr double move_cycles = 0.074; ///< per load or store that a butterfly needs anyway
/// Per cache line whose column neighbours map to the same L1 set, if they outnumber its ways.
constexpr double colliding_load_cycles = 1.47, colliding_store_cycles = 5.5;
constexpr double line_bytes = 64;

} // namespace swirl::search
