#include <swirl/export.h>
#include <swirl/version.h>

#include "fftw/c_support.hpp"
#include "fftw/planner.hpp"
#include "fftw/requests.hpp"
#include "runtime/cpu/parallel_for.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include <swirl-fftw/fftw3.h>
#pragma GCC visibility pop

#define P(name) fftwf_##name
#define F(name) sfftw_##name
#define SYSTEM_WISDOM "/etc/fftw/wisdomf"

namespace {

using R = float;
constexpr swirl::DataType precision = swirl::DataType::float32;

} // namespace

#include "fftw/c_interface.inc"
#include "fftw/fortran_interface.inc"
