#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::passes {

/// A part of a kernel between two meetings of all threads.
struct Phase {
    /// Has all of the kernel's buffers. A parallel phase has two parameters, the first iteration and the one after the
    /// last, and computes those; a serial phase has none and is for one thread.
    ir::Program program;
    bool is_parallel = false;
    Integer iterations = 1; ///< of a parallel phase, to be shared among threads
    Integer grain =
        1; ///< threads whose shares are multiples of it store to different cache lines, where data is
           ///< aligned to cache lines
    double operations = 0; ///< executed, a vector counting once
};

struct PhaseOptions {
    Integer threads = 2;
    /// Loops that execute fewer operations are not shared: meeting would take longer than what is gained.
    double least_operations = 0;
};

/// Cuts a kernel at its outermost parallel loops; what lies between two of them is a serial phase.
///
/// Run in order, each with all of its iterations, the phases do what the program does, operation by operation. The
/// iterations of a phase may run in any order and at once, with memory that is `per_iteration` of their own.
/// Of loops that hold nothing but another parallel loop the outermost is shared that gives all threads work.
///
/// Before: any program for a CPU without parameters, loops of constant extent.   After: programs of the same stage.
std::vector<Phase> phases(ir::Program program, const PhaseOptions& options);

} // namespace swirl::passes
