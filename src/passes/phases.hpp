#pragma once

#include "ir/program.hpp"

#include <array>
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
    double operations = 0;     ///< executed; a vector operation counts once
    std::vector<double> lines; ///< of the cache, accessed in each buffer that threads share and write
    /// Consecutive phases with the same number are run in turn for each repetition, that of the enclosing loop. All
    /// threads work on the same one, so they share what is private to an iteration of that loop. 0: run once.
    Integer repeated = 0;
    Integer repetitions = 1;
};

/// What it costs to share a kernel among threads, in operations of one thread alone (a vector operation counts once). By default
/// nothing: whatever can be shared is.
struct SharingCosts {
    double team = 0; ///< until all members have begun, and from the last one's end on
    double barrier = 0, barrier_per_member = 0;
    double slowdown = 0; ///< of the operations of a large team: they take 1 + slowdown, of a small team less
    /// To access a cache line that another thread has accessed last.
    double line = 0, line_per_member = 0;
    double least_gain = 0; ///< a team must be so many times as fast as one thread

    double of_barrier(Integer members) const {
        return barrier + barrier_per_member * static_cast<double>(members);
    }
    double of_operation(Integer members) const {
        return 1 + slowdown * (1 - 1 / static_cast<double>(members));
    }
    double of_line(Integer members) const { return line + line_per_member * static_cast<double>(members); }
    /// All members, for keys.
    std::array<double, 7> in_order() const {
        return {team, barrier, barrier_per_member, slowdown, line, line_per_member, least_gain};
    }
};

/// Fitted to the times of 24 transforms on 4, 8 and 16 processors of a Sapphire Rapids (root mean square of the relative error 0.26),
/// where an operation of one thread takes 0.27 ns.
constexpr SharingCosts measured_sharing_costs{.team = 4600,
                                              .barrier = 8400,
                                              .barrier_per_member = 60,
                                              .slowdown = 0.45,
                                              .line = 2.8,
                                              .line_per_member = 0.73,
                                              .least_gain = 1.15};

struct PhaseOptions {
    Integer threads = 2;
    SharingCosts costs{};
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
/// Loops that would gain less than a barrier costs stay with one thread.
///
/// Before: any program for a CPU without parameters, loops of constant extent.   After: programs of the same level.
std::vector<Phase> phases(ir::Program program, const PhaseOptions& options);

/// The number of members, at most `options.threads`, with which a team runs the phases fastest; 1 if that is one thread.
Integer fastest_team(const std::vector<Phase>& phases, const PhaseOptions& options);

} // namespace swirl::passes
