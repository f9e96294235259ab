/// The threads that executions on CPUs share their work among.
#pragma once

#include <swirl/export.h>

#include <cstddef>

namespace swirl {

/// A parallel loop with the meaning of fftw_threads_set_callback: calls work(jobs + k · job_bytes) once for every k in
/// 0 … count−1, on any threads and in any order, and returns when all calls have returned. Several threads may call it at
/// once. It must not throw.
using ParallelLoop = void (*)(void* (*work)(char*), char* jobs, std::size_t job_bytes, int count, void* data);

/// From now on executions run on the threads of this loop, such as those of OpenMP or TBB; with null on swirl's own, as at
/// first. `data` is passed to each call. Executions in progress end on the threads they have; they may still use the
/// `data` of before.
///
/// Members of a team meet at barriers, so those jobs are members that run at the same time; a loop that runs one job after
/// the other makes teams of one. Options::threads is the most jobs that a call asks for.
SWIRL_API void set_parallel_loop(ParallelLoop loop, void* data = nullptr);

} // namespace swirl
