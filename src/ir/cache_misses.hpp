#pragma once

#include "ir/program.hpp"

namespace swirl::ir {

/// A write-allocate data cache with LRU replacement, initially empty.
struct CacheShape {
    Integer bytes = 0;
    Integer ways = 0; ///< cache lines per set; 0: fully associative, so there are no conflict misses
    Integer line_bytes = 64;
};

struct CacheMisses {
    Integer accesses = 0; ///< loads and stores
    Integer lines = 0;    ///< cache lines loaded: misses
};

/// Simulates the accesses of a single-threaded program on a cache. Buffers start at page boundaries, one after the
/// other; local buffers are in registers. Loops and addresses must follow from constants, else InternalError.
CacheMisses count_cache_misses(const Program& program, const CacheShape& cache);

} // namespace swirl::ir
