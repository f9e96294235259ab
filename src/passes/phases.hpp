#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::passes {

/// A region of a kernel between two barriers of all threads.
struct Phase {
    /// Has all of the kernel's buffers. A parallel phase has two parameters, the first iteration and one past the
    /// last, and computes these iterations; a serial phase has none and is for one thread.
    ir::Program program;
    bool is_parallel = false;
    Integer iterations = 1; ///< of a parallel phase, to be shared among threads
    Integer grain =
        1; ///< if shares are multiples of it, threads store to different cache lines (given aligned data)
    double operations = 0; ///< executed; a vector operation counts once
};

struct PhaseOptions {
    Integer threads = 2;
    /// Loops that execute fewer operations are not shared: a barrier would cost more than it gains.
    double least_operations = 0;
};

/// Splits a kernel at its outermost parallel loops; the code between two of them is a serial phase.
///
/// Run in order, each with all of its iterations, the phases execute the same operations as the program. The
/// iterations of a phase may run in any order and concurrently, with `per_iteration` memory of their own.
/// In a perfect nest of parallel loops, the outermost loop that gives all threads work is shared.
///
/// Before: any program for a CPU without parameters, loops of constant extent.   After: programs of the same level.
std::vector<Phase> phases(ir::Program program, const PhaseOptions& options);

} // namespace swirl::passes
