#pragma once

#include "ir/program.hpp"

#include <vector>

namespace swirl::passes {

/// Parameters of a phase's program, by position.
struct PhaseParameter {
    enum Position : int {
        first,      ///< iteration of a parallel phase
        last,       ///< one past the last
        repetition, ///< of a repeated phase
    };
};

/// A region of a kernel between two barriers of all threads.
struct Phase {
    /// Has all of the kernel's buffers. A parallel phase computes the iterations between its parameters `first` and
    /// `last`; a serial phase is for one thread.
    ir::Program program;
    bool is_parallel = false;
    Integer iterations = 1; ///< of a parallel phase, to be shared among threads
    Integer grain =
        1; ///< if shares are multiples of it, threads store to different cache lines (given aligned data)
    double operations = 0; ///< executed; a vector operation counts once
    /// Consecutive phases with the same number are run in turn for each repetition, that of the enclosing loop. All
    /// threads work on the same one, so they share what is private to an iteration of that loop. 0: run once.
    Integer repeated = 0;
    Integer repetitions = 1;
};

struct PhaseOptions {
    Integer threads = 2;
    /// Loops that execute fewer operations are not shared: a barrier would cost more than it gains.
    double least_operations = 0;
};

/// Fraction of the threads' total time in which they work, for equal iterations.
double balance(Integer iterations, Integer threads);

/// Splits a kernel at its outermost parallel loops; the code between two of them is a serial phase.
///
/// Run in order, each with all of its iterations, the phases execute the same operations as the program. The
/// iterations of a phase may run in any order and concurrently, with memory of their own where it is private.
/// In a perfect nest of parallel loops, the outermost loop that gives all threads work is shared. If a loop over several
/// statements has too few iterations for that, the loops in it become phases, repeated for each iteration.
///
/// Before: any program for a CPU without parameters, loops of constant extent.   After: programs of the same level.
std::vector<Phase> phases(ir::Program program, const PhaseOptions& options);

} // namespace swirl::passes
