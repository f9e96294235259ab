#pragma once

#include <swirl/kinds.hpp>

#include <mpi.h>

#include <array>

namespace swirl::scalapack {

/// A grid of processes, as the BLACS have it.
struct Grid {
    int rows = 0, columns = 0;
    int row = -1, column = -1;          ///< of this process; −1 if it is not in the grid
    MPI_Comm processes = MPI_COMM_NULL; ///< those of the grid, row by row

    bool contains_this_process() const { return row >= 0; }
};

/// That of a context.
Grid grid_of(int context);

} // namespace swirl::scalapack
