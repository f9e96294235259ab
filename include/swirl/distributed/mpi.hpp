/// Ranks of MPI. Programs that include this link libswirl_mpi_openmpi or libswirl_mpi_mpich, whichever is for the MPI
/// that they are built with; libswirl itself needs no MPI.
#pragma once

#include <swirl/export.h>
#include <swirl/distributed/communicator.hpp>

#include <mpi.h>

#include <memory>

namespace swirl::distributed {

/// The ranks of a communicator of MPI, which is duplicated: messages of swirl and of the program do not meet.
/// Collective. It must be an intracommunicator, and MPI be initialised; it is destroyed before MPI_Finalize.
///
/// MPI must allow the calling threads to call it: MPI_THREAD_FUNNELED where that is the main thread. Calls wait by
/// polling, so that `abort` of another rank ends them. MPI moves long blocks only during calls, of which
/// `check_aborted` is the shortest. Memory of a GPU goes through the host unless MPI says that it takes it itself.
///
/// What each rank sends must be what the other expects; `check_collectively` finds where it is not. MPI's errors are
/// thrown as SystemError, and end the other ranks' calls, too. Afterwards the program can only end. Where
/// MPI_Finalize would wait for transfers that were given up, as that of MPICH does, it prints the reason and exits,
/// upon which mpirun ends the others.
SWIRL_API std::unique_ptr<Communicator> on_mpi(MPI_Comm communicator);

} // namespace swirl::distributed
