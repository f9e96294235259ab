#pragma once

#include <swirl/distributed/communicator.hpp>

#include <mpi.h>

#include <memory>

namespace swirl::mpi {

/// The engine of a communicator of MPI. Plans on it share it, since MPI has few contexts. MPI_Finalize destroys what is
/// left of it, as plans may live longer.
struct Ranks {
    std::unique_ptr<distributed::Communicator> engine;
};

/// Collective where the communicator is met for the first time. Throws what `on_mpi` does.
std::shared_ptr<Ranks> ranks_of(MPI_Comm communicator);
/// Collective. Engines live on with their plans.
void forget_ranks();

} // namespace swirl::mpi
