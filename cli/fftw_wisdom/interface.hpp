/// FFTW's interface in this program's precision.
#pragma once

#include <swirl-fftw/fftw3.h>

#if defined(SWIRL_SINGLE_PRECISION)
#define FFTW(name) fftwf_##name
#define SWIRL_PROGRAM "fftwf-wisdom"
namespace swirl::cli {
using Real = float;
}
#else
#define FFTW(name) fftw_##name
#define SWIRL_PROGRAM "fftw-wisdom"
namespace swirl::cli {
using Real = double;
}
#endif
