#pragma once

#include "ir/program.hpp"

namespace swirl::ir {

/// A data cache that gives up the line used least recently, loads what is written, and starts empty.
struct CacheShape {
    Integer bytes = 0;
    Integer ways = 0; ///< lines in a set; 0: one set of all lines, so that none leaves for its address
    Integer line_bytes = 64;
};

struct LineLoads {
    Integer accesses = 0; ///< loads and stores
    Integer lines = 0;    ///< loaded into the cache: its misses
};

/// What a program of one thread does to a cache, access by access: buffers begin at pages, one behind the other; those that
/// are local are in registers. Loops and addresses must follow from constants: InternalError else.
LineLoads count_line_loads(const Program& program, const CacheShape& cache);

} // namespace swirl::ir
