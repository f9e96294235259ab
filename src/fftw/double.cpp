#include "fftw/c_support.hpp"

#define P(name) fftw_##name
#define S(name) swirl_fftw_##name
#define F(name) dfftw_##name
#define REAL double
#define SYSTEM_WISDOM "/etc/fftw/wisdom"

#include "fftw/c_interface.inc"
#include "fftw/fortran_interface.inc"
