/// What swirl keeps between processes: wisdom, which are results of measurements, and the cache of kernels.
#pragma once

#include <swirl/export.h>
#include <swirl/kinds.hpp>
#include <swirl/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace swirl {

/// The best known schedules, in a file that any number of processes and threads may use at once.
namespace wisdom {

/// The file in use: $SWIRL_WISDOM, else $XDG_CACHE_HOME/swirl/wisdom.sqlite, else ~/.cache/swirl/wisdom.sqlite;
/// ":memory:" if none can be used.
SWIRL_API std::string path();

/// Writes all entries of all machines, one JSON object per line. Returns how many.
SWIRL_API Integer export_to(std::ostream& out);

struct Imported {
    Integer stored = 0;     ///< new, or better than the existing entry
    Integer unchanged = 0;  ///< the existing entry is at least as good
    Integer unreadable = 0; ///< lines that are no entry
};
SWIRL_API Imported import_from(std::istream& in);

/// Erases the entries of a problem, on all machines and devices. Returns how many.
SWIRL_API Integer forget(const Problem& problem);
/// Erases all entries. Returns how many.
SWIRL_API Integer forget_all();

} // namespace wisdom

/// Machine code of GPU kernels, and of the transforms of CPUs, verified when it was compiled. Each kernel or plan is one
/// file in one folder, which any number of processes and threads may use at once.
namespace kernel_cache {

/// The folder: $SWIRL_KERNEL_CACHE, else $XDG_CACHE_HOME/swirl/kernels, else ~/.cache/swirl/kernels; empty if
/// SWIRL_KERNEL_CACHE is "off" or there is no home directory.
SWIRL_API std::string path();

/// Writes all kernels as one pack, for another host with such a processor. Returns how many.
SWIRL_API Integer export_to(std::ostream& out);
/// Adds the kernels of a pack. Returns how many. Throws UserError if the pack is damaged or there is no cache.
SWIRL_API Integer import_from(std::istream& in);
/// Removes all kernels. Returns how many.
SWIRL_API Integer forget_all();

} // namespace kernel_cache

} // namespace swirl
