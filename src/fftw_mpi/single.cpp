#include "fftw_mpi/c_support.hpp"

#define M(name) fftwf_mpi_##name
#define P(name) fftwf_##name
#define S(name) swirl_fftwf_##name
#define REAL float

#include "fftw_mpi/c_interface.inc"
