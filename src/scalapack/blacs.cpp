#include "scalapack/blacs.hpp"

#include <swirl/error.hpp>

#include <string>

// Of the program's ScaLAPACK or BLACS.
extern "C" {
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_get(int context, int what, int* value);
MPI_Comm Cblacs2sys_handle(int handle);
void Cfree_blacs_system_handle(int handle);
}

namespace swirl::scalapack {
namespace {

constexpr int handle_of_grid = 10; ///< what Cblacs_get gives: a handle of the grid's own communicator

} // namespace

Grid grid_of(int context) {
    Grid grid;
    Cblacs_gridinfo(context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    if (!grid.contains_this_process()) return grid;
    int handle = 0;
    Cblacs_get(context, handle_of_grid, &handle);
    grid.processes = Cblacs2sys_handle(handle);
    Cfree_blacs_system_handle(handle);
    int rank = 0, size = 0;
    MPI_Comm_rank(grid.processes, &rank);
    MPI_Comm_size(grid.processes, &size);
    if (size != grid.rows * grid.columns || rank != grid.row * grid.columns + grid.column)
        throw InternalError("process " + std::to_string(rank) + " of " + std::to_string(size) +
                            " is not numbered by rows of its grid");
    return grid;
}

} // namespace swirl::scalapack
