#pragma once

#include "runtime/cpu/team_call.hpp"

#include <cstddef>

/// Teams on the program's own threads: those of its OpenMP, TBB or thread pool.
namespace swirl::runtime {

/// The program's parallel loop, with the meaning of fftw_threads_set_callback.
struct ParallelFor {
    /// Calls work(jobs + k · job_bytes) once for every k in 0 … count−1, on whatever threads and in whatever order, and returns when all
    /// calls have returned. It may be called by several threads at once, and must not throw.
    using Function = void (*)(void* (*work)(char*), char* jobs, std::size_t job_bytes, int count, void* data);
    Function function;
    void* data;
};

/// From now on teams of this process run by `users`; with a null function on swirl's own threads, as at first. Calls in progress are not
/// affected; they may still use the `data` of before.
void set_parallel_for(const ParallelFor& users);

/// What was set last; null if teams run on swirl's own threads.
const ParallelFor* parallel_for();

/// Runs the call as a team of at most `wanted` jobs of the program's loop, and returns the nanoseconds that were lost by waiting for jobs
/// that no thread took. A loop may run jobs one after the other, but the members of a team meet at barriers: so members are the jobs that
/// run at the same time within `timeout` nanoseconds. The first of them waits for the others, then closes the team; later jobs do nothing.
std::int64_t run_by(const ParallelFor& users, int wanted, std::int64_t timeout, int processors,
                    TeamCall& call);

} // namespace swirl::runtime
