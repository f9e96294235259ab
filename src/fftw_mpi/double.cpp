#include "fftw_mpi/c_support.hpp"

#define M(name) fftw_mpi_##name
#define P(name) fftw_##name
#define S(name) swirl_fftw_##name
#define REAL double

#include "fftw_mpi/c_interface.inc"
