#pragma once

namespace swirl::blas {

/// Maximum number of threads per routine: SWIRL_NUM_THREADS, else OMP_NUM_THREADS, else the number of processors of the
/// process. Reads the environment once. Returns 1 in a process forked from one that used the library, because fork does
/// not copy threads.
int threads();

} // namespace swirl::blas
