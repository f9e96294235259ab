#include "fftw/c_support.hpp"

#define P(name) fftwf_##name
#define S(name) swirl_fftwf_##name
#define F(name) sfftw_##name
#define REAL float
#define SYSTEM_WISDOM "/etc/fftw/wisdomf"

#include "fftw/c_interface.inc"
#include "fftw/fortran_interface.inc"
