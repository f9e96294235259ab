#pragma once

#include "peers/matrix_peer.hpp"
#include "peers/shared_library.hpp"

namespace swirl::peers {

/// The call through a library's Fortran entry points (LP64); empty where it lacks the routine.
MatrixRun blas_run(const SharedLibrary& library, const MatrixCall& call);

} // namespace swirl::peers
