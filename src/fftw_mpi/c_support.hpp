#pragma once

#include <swirl/export.h>

#include "fftw_mpi/requests.hpp"
#include "mpi/shared/ranks.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include <swirl-fftw/fftw3-mpi.h>
#pragma GCC visibility pop
