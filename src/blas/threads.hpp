#pragma once

namespace swirl::blas {

/// How many threads a routine may have: SWIRL_NUM_THREADS, else OMP_NUM_THREADS, else as many as the process has processors.
/// The environment is read once. 1 in a process forked from one that used the library: its threads did not come along.
int threads();

} // namespace swirl::blas
